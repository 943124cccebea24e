// The panel with the studio, against a real `stormproof studio`: node --test, with STORMPROOF naming the command.
const assert = require("node:assert");
const { mkdtempSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { test } = require("node:test");
const { WebSocket } = require("ws");
const { connect, pageOf, startStudio } = require("../src/studio");

const command = process.env.STORMPROOF ?? "stormproof";

function protocol() {
  const folder = mkdtempSync(join(tmpdir(), "stormproof-"));
  writeFileSync(join(folder, "shop.storm"), "role A { a: B!x -> end }\nrole B { b: A?x -> end }\n");
  return [join(folder, "shop.storm"), folder];
}

test("the page is whole, loads nothing and has one policy", async () => {
  const studio = await startStudio(command, ...protocol());
  try {
    const page = await pageOf(studio);
    assert.doesNotMatch(page, /<(?:script|link)[^>]+(?:src|href)="(?!data:)/);
    const nonces = new Set([...page.matchAll(/<(?:script|style) nonce="(\w+)"/g)].map((found) => found[1]));
    assert.equal(nonces.size, 1);
    assert.ok(page.includes(`script-src 'nonce-${[...nonces][0]}'`));
    assert.ok(page.includes("acquireVsCodeApi"));
  } finally { studio.process.kill(); }
});

test("what the page says reaches the server, and its answers come back", async () => {
  const [file, folder] = protocol();
  const studio = await startStudio(command, file, folder);
  const heard = [];
  try {
    await new Promise((done, failed) => {
      const link = connect(studio, WebSocket, (said) => {
        const message = JSON.parse(said);
        heard.push(message);
        if (message.hello) link.say(JSON.stringify({ id: 1, ask: "read", text: message.hello.document.text }));
        if (message.id === 1) { link.close(); done(); }
      }, () => failed(new Error("the socket was closed")));
    });
    assert.equal(heard[0].hello.document.file, file);
    assert.deepEqual(heard.at(-1).answer.problems, []);
  } finally { studio.process.kill(); }
});

test("a command that does not exist is said, and nothing hangs", async () => {
  await assert.rejects(startStudio("no-such-command", ...protocol()), /ENOENT/);
});
