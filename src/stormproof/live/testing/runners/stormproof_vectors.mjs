// Runs the vectors of `stormproof testgen --vectors` against an implementation of a role. No dependencies.
//
// An implementation has start(), receive(peer, message), expire() and, where the role may restart, restart().
// Each gives what is sent then, as [[peer, message], ...], or a promise of it. receive and expire give null
// where the message is not taken, or no timer runs.
//
//   import { testVectors } from "./stormproof_vectors.mjs";
//   testVectors(() => new Client(), "client.vectors.json");

import { appendFileSync, readFileSync } from "node:fs";
import { test } from "node:test";

const ATTEMPTS = 100;

/** @typedef {[string, string, string]} Event */
/** @typedef {[string, string][] | null | undefined | void} Sent */
/** @typedef {Sent | Promise<Sent>} Answer */
/**
 * @typedef {object} Implementation
 * @property {() => Answer} start
 * @property {(peer: string, message: string) => Answer} receive
 * @property {() => Answer} expire
 * @property {() => Answer} [restart]
 */

/** The implementation did something else than the vector, which the protocol allows too. */
class ChoseOtherwise extends Error {}

/** What the protocol does not allow. */
export class NotAllowed extends Error {}

/** @param {Event} event */
function shown([do_, peer, message]) {
  if (!peer) return do_ === "timeout" ? "times out" : `${do_}s`;
  return `${do_}s ${message} ${do_ === "send" ? "to" : "from"} ${peer}`;
}

/** @param {Event} one @param {Event} other */
const same = (one, other) => one.every((part, i) => part === other[i]);

class Driven {
  /** @param {any} data @param {Implementation} implementation */
  constructor(data, implementation) {
    this.data = data;
    this.implementation = implementation;
    this.states = this.closed([data.initial]);
    this.outbox = [];
    /** What it did, and in which handler; of a failure the last is not allowed. */
    this.done = [];
    this.raised = null;
  }

  /** @param {string} state @returns {[string, string, string, string, string][]} */
  leaving(state) {
    return this.data.transitions.filter((row) => row[0] === state);
  }

  /** With what is reached by actions that nobody sees. */
  closed(states) {
    const found = new Set(states);
    for (const state of found) // a set goes through what is added meanwhile
      for (const [, do_, , , target] of this.leaving(state)) if (do_ === "silent") found.add(target);
    return found;
  }

  after(event) {
    const rows = [...this.states].flatMap((state) => this.leaving(state));
    return this.closed(rows.filter((row) => same(row.slice(1, 4), event)).map((row) => row[4]));
  }

  /** Was it taken? What it sends is in the outbox then. */
  async call(method, ...given) {
    try {
      const sent = await this.implementation[method](...given);
      this.outbox.push(...(sent ?? []).map((message) => [message, method]));
      return sent != null || method === "start" || method === "restart";
    } catch (problem) {
      this.raised = problem;
      return true;
    }
  }

  /** What it sends next, or null if it waits; both must be allowed. */
  nextSent() {
    if (this.outbox.length === 0) {
      if (this.raised && !this.data.raised.some((state) => this.states.has(state)))
        throw new NotAllowed(`it throws ${this.raised}. Before: ${this.before()}`);
      this.go(new Set([...this.states].filter((state) => this.mayWait(state))), "waits");
      return null;
    }
    const [message, handler] = this.outbox.shift();
    return this.take(["send", ...message], handler);
  }

  /** It does this, which must be allowed. */
  take(event, handler) {
    const before = this.before();
    this.done.push({ transition: event, handler });
    this.go(this.after(event), shown(event), before);
    return event;
  }

  async do(event) {
    if (event[0] === "send" || event[0] === "wait") {
      const found = this.nextSent();
      if (event[0] === "send" ? found === null || !same(found, event) : found !== null)
        throw new ChoseOtherwise(`it never ${shown(event)} here; it ${found ? shown(found) : "waits"}`);
      return;
    }
    if (event[0] !== "restart" || this.outbox.length > 0) {
      const found = this.nextSent(); // what is sent is sent
      if (found) throw new ChoseOtherwise(`it ${shown(found)} before it ${shown(event)}`);
    }
    if (this.after(event).size === 0) throw new ChoseOtherwise(`it never came to where it ${shown(event)}`);
    const method = { receive: "receive", timeout: "expire", restart: "restart" }[event[0]];
    if (!(await this.call(method, ...(event[0] === "receive" ? event.slice(1) : [])))) {
      const refusing = [...this.states].filter(
        (state) => !this.leaving(state).some((row) => same(row.slice(1, 4), event)),
      );
      this.go(new Set(refusing), `does not take: ${shown(event)}`);
      throw new ChoseOtherwise(`it never ${shown(event)} here, and the protocol allows that too`);
    }
    this.take(event, method);
  }

  mayWait(state) {
    const done = this.leaving(state).map((row) => row[1]);
    const waits = done.includes("receive") || done.includes("timeout");
    return waits || !(done.includes("send") || done.includes("silent"));
  }

  before() {
    return this.done.map((step) => shown(step.transition)).join(", ") || "nothing";
  }

  go(states, what, before = this.before()) {
    if (states.size === 0) {
      const rows = [...this.states].flatMap((state) => this.leaving(state));
      const allowed = new Set(rows.filter((row) => row[1] !== "silent").map((row) => shown(row.slice(1, 4))));
      const words = [...allowed].join(", ") || "has ended";
      throw new NotAllowed(`it ${what}; the protocol allows: ${words}. Before: ${before}`);
    }
    this.states = states;
  }
}

/** Follow one vector: why it is undecided, or nothing where it passes; throws NotAllowed. */
async function follow(data, vector, make) {
  let other = "";
  for (let i = 0; i < ATTEMPTS; i++) {
    const driven = new Driven(data, await make());
    try {
      await driven.call("start");
      for (const step of vector.steps) await driven.do([...step, "", ""].slice(0, 3));
      report(vector.name, "passed", "", driven.done);
      return "";
    } catch (problem) {
      if (!(problem instanceof ChoseOtherwise)) {
        report(vector.name, "failed", problem.message, driven.done);
        throw problem;
      }
      other = `in ${ATTEMPTS} attempts ${problem.message}`;
    }
  }
  report(vector.name, "undecided", other, []);
  return other;
}

function report(vector, verdict, why, steps) {
  const file = process.env.STORMPROOF_REPORT;
  if (file) appendFileSync(file, JSON.stringify({ vector, verdict, why, steps }) + "\n");
}

/**
 * A test of node's test runner for each vector; one that stays undecided is skipped.
 * @param {() => Implementation | Promise<Implementation>} make
 * @param {string} [path]
 */
export function testVectors(make, path = process.env.STORMPROOF_VECTORS) {
  const data = JSON.parse(readFileSync(path, "utf-8"));
  if (data.stormproof !== "vectors" || data.version !== 1)
    throw new Error("this is not a file of vectors that this runner knows");
  for (const vector of data.vectors)
    test(vector.name, async (context) => {
      const undecided = await follow(data, vector, make);
      if (undecided) context.skip(undecided);
    });
}
