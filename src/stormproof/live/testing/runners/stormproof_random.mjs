// Drives an implementation of a role for `stormproof testgen --serve`, which plays the other roles and the faults
// at random, shrinks a run that fails and draws it. No dependencies.
//
// An implementation is what stormproof_vectors.mjs runs, too.
//
//   import { test } from "node:test";
//   import { play } from "./stormproof_random.mjs";
//   test("at random", () => play(["stormproof", "testgen", "ask.storm", "--role", "Client", "--serve"], () => new Client()));

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const ESCAPES = { "\t": "\\t", "\n": "\\n", "\\": "\\\\" };
const PLAIN = { "\\t": "\t", "\\n": "\n", "\\\\": "\\" };

/** @param {string} word */
const escaped = (word) => word.replace(/[\t\n\\]/g, (letter) => ESCAPES[letter]);
/** @param {string} line */
const wordsOf = (line) => line.split("\t").map((word) => word.replace(/\\[tn\\]/g, (escape) => PLAIN[escape]));

/** What the server is told of a call. */
async function answer(implementation, call, given) {
  if (call === "restart" && !implementation.restart) return ["refused"];
  try {
    const sent = await implementation[call](...given);
    if (sent == null && (call === "receive" || call === "expire")) return ["refused"];
    return ["sent", ...(sent ?? []).flat()];
  } catch (problem) {
    return ["raised", String(problem)];
  }
}

/**
 * What was found, if nothing is wrong; throws an Error with the chart of the shortest run that fails.
 * @param {string[]} command what starts the server
 * @param {() => import("./stormproof_vectors.mjs").Implementation | Promise<import("./stormproof_vectors.mjs").Implementation>} make
 * @returns {Promise<string>}
 */
export async function play(command, make) {
  const server = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve, reject) => server.on("error", reject).on("close", resolve));
  ended.catch(() => {}); // it is awaited below
  server.stdin.on("error", () => {}); // the server has ended, and its last line says why
  let implementation;
  for await (const line of createInterface({ input: server.stdout, crlfDelay: Infinity })) {
    const [kind, ...given] = wordsOf(line);
    if (kind === "passed" || kind === "undecided") return given[0];
    if (kind === "failed") throw new Error(given[0]);
    if (kind === "start") implementation = await make();
    server.stdin.write((await answer(implementation, kind, given)).map(escaped).join("\t") + "\n");
  }
  throw new Error(`${command.join(" ")} ended with code ${await ended}; standard error says why`);
}
