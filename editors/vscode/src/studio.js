// The studio in a panel: `stormproof studio` answers, and the page is shown here instead of in a browser. The page may
// talk to this extension only, which passes what it says to the server and back.
const { spawn } = require("node:child_process");
const http = require("node:http");
const { randomBytes } = require("node:crypto");

const ADDRESS = /http:\/\/127\.0\.0\.1:(\d+)\/\?token=([\w-]+)/;

// Stands in for the socket of the page.
const SOCKET = `
const editor = acquireVsCodeApi();
window.WebSocket = class extends EventTarget {
  static OPEN = 1;
  readyState = 1;
  constructor() {
    super();
    addEventListener("message", ({ data }) => {
      if (data.closed) { this.readyState = 3; this.dispatchEvent(new Event("close")); }
      else this.dispatchEvent(new MessageEvent("message", { data: data.said }));
    });
    setTimeout(() => { this.dispatchEvent(new Event("open")); editor.postMessage({ open: true }); });
  }
  send(text) { editor.postMessage({ say: text }); }
  close() {}
};`;

function get(port, path, headers = {}) {
  return new Promise((resolve, reject) => {
    http.get({ host: "127.0.0.1", port, path, headers: { host: `127.0.0.1:${port}`, ...headers } }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => resolve({ text: Buffer.concat(parts).toString("utf8"), headers: answer.headers, status: answer.statusCode }));
    }).on("error", reject);
  });
}

// Starts the server for a file; resolves to {port, cookie, process}.
exports.startStudio = (command, file, folder) => new Promise((resolve, reject) => {
  const process = spawn(command, ["studio", "--no-open", file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "", complained = "";
  process.on("error", reject);
  process.stderr.on("data", (part) => { complained += part; });
  process.on("exit", () => reject(new Error(complained.trim() || "the studio has stopped")));
  process.stdout.on("data", async (part) => {
    said += part;
    const found = ADDRESS.exec(said);
    if (!found) return;
    process.stdout.removeAllListeners("data");
    process.stdout.resume();
    try {
      const port = Number(found[1]), first = await get(port, `/?token=${found[2]}`);
      resolve({ port, cookie: first.headers["set-cookie"][0].split(";")[0], process });
    } catch (problem) { reject(problem); }
  });
});

// The page with all that it loads in it, and a policy that lets it load nothing else.
exports.pageOf = async ({ port, cookie }) => {
  const ask = async (path) => (await get(port, path, { cookie })).text;
  const nonce = randomBytes(16).toString("hex");
  const [page, style, stage, studio] = await Promise.all([ask("/"), ask("/assets/studio.css"), ask("/assets/stage.js"), ask("/assets/studio.js")]);
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src data:`;
  const script = (text) => `<script nonce="${nonce}">${text.replaceAll("</script", "<\\/script")}</script>`;
  const put = (text, from, to) => text.replace(from, () => to);
  let whole = put(page, /<meta name="nonce" content="[^"]*">/, `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="nonce" content="${nonce}">`);
  whole = put(whole, /<link rel="stylesheet" href="assets\/studio\.css">/, `<style nonce="${nonce}">${style}</style>`);
  whole = put(whole, /<script src="assets\/stage\.js"><\/script>/, script(SOCKET) + script(stage));
  return put(whole, /<script src="assets\/studio\.js"><\/script>/, script(studio));
};

// Passes on what the page and the server say, until either is gone.
exports.connect = ({ port, cookie }, WebSocket, hear, gone) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, { headers: { cookie }, origin: `http://127.0.0.1:${port}`, maxPayload: 2 ** 27 });
  socket.on("message", (data) => hear(data.toString()));
  socket.on("close", gone);
  socket.on("error", gone);
  return { say: (text) => { if (socket.readyState === 1) socket.send(text); }, close: () => socket.close() };
};
