// What answers where there is no server: Python in a worker of the browser, one question after another.

const LANES_THAT_WAIT = new Set(["read", "check", "play"]);

export class Local {
  #worker = null;
  #last = 0;
  #open = new Map();
  #queue = [];
  #asked = null;     // the number of the question that is being answered
  #tell;

  constructor(tell) {
    this.#tell = tell;
    this.#start();
  }

  #start() {
    this.#worker = new Worker("assets/worker.js", { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => this.#receive(data));
    this.#worker.addEventListener("error", (event) => this.#tell({ broken: event.message || "the worker could not be started" }));
  }

  #receive(message) {
    if (message.id === undefined) { this.#tell(message); return; }
    const question = this.#open.get(message.id);
    if (message.progress || message.partial) { question?.hear?.(message); return; }
    this.#open.delete(message.id);
    this.#asked = null;
    question?.resolve(message);
    this.#next();
  }

  #next() {
    if (this.#asked !== null) return;
    const message = this.#queue.shift();
    if (!message) return;
    this.#asked = message.id;
    this.#worker.postMessage(message);
  }

  ask(kind, question, { lane = kind, hear = null } = {}) {
    this.cancel(lane);
    const id = ++this.#last;
    let resolve;
    const promise = new Promise((done) => { resolve = done; });
    this.#open.set(id, { lane, hear, resolve });
    this.#queue.push({ ...question, id, lane, ask: kind });
    this.#queue.sort((a, b) => LANES_THAT_WAIT.has(b.lane) - LANES_THAT_WAIT.has(a.lane) || a.id - b.id);
    this.#next();
    return promise;
  }

  // What is being answered is answered: each question has its limit. Nobody hears of it.
  cancel(lane) {
    this.#queue = this.#queue.filter((message) => message.lane !== lane);
    for (const [id, question] of this.#open) {
      if (question.lane !== lane) continue;
      this.#open.delete(id);
      question.resolve({ cancelled: true });
    }
  }

  stop(lane) { this.cancel(lane); }

  stopServer() {}
}
