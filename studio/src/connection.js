// The socket to the server: questions with numbers, answers with the same, and news that nobody asked for.

// Characters of a text; the server reads no larger messages.
const MOST = 5_000_000;

export class Connection {
  #socket = null;
  #last = 0;
  #open = new Map();
  #waiting = new Map();  // what is sent once the socket is open: lane -> the newest question
  #tell;

  // `tell` gets {hello}, {changed}, and {lost: true} when the server does not answer any more.
  constructor(tell) {
    this.#tell = tell;
    this.#connect();
  }

  #connect() {
    this.#socket = new WebSocket(`ws://${location.host}/socket`);
    this.#socket.addEventListener("open", () => {
      for (const message of this.#waiting.values()) this.#socket.send(message);
      this.#waiting.clear();
    });
    this.#socket.addEventListener("message", (event) => this.#receive(JSON.parse(event.data)));
    this.#socket.addEventListener("close", () => {
      for (const question of this.#open.values()) question.resolve({ cancelled: true });
      this.#open.clear();
      this.#tell({ lost: true });
      setTimeout(() => this.#connect(), 3000);
    });
  }

  #receive(message) {
    const question = this.#open.get(message.id);
    if (!question) {
      if (message.id === undefined) this.#tell(message);
      return;
    }
    if (message.progress || message.partial) {
      question.hear?.(message);
      return;
    }
    this.#open.delete(message.id);
    question.resolve(message);
  }

  #send(message) {
    const text = JSON.stringify(message);
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
    else if (message.ask) this.#waiting.set(message.lane, text);
  }

  // Resolves to {answer}, {problem}, {defect}, {stopped}, or {cancelled} when a newer question of the same lane was
  // asked. `hear` gets what is said before that: {progress} and {partial}.
  ask(kind, question, { lane = kind, hear = null } = {}) {
    for (const [id, older] of this.#open) {
      if (older.lane !== lane) continue;
      this.#open.delete(id);
      older.resolve({ cancelled: true });
    }
    if ((question.text?.length ?? 0) > MOST) return Promise.resolve({ problem: "This text is too long for the studio." });
    const id = ++this.#last;
    const { promise, resolve } = deferred();
    this.#open.set(id, { lane, hear, resolve });
    this.#send({ ...question, id, lane, ask: kind });
    return promise;
  }

  // Give the question of a lane up.
  cancel(lane) {
    for (const [id, question] of this.#open) {
      if (question.lane !== lane) continue;
      this.#open.delete(id);
      question.resolve({ cancelled: true });
    }
    this.#send({ cancel: lane });
  }

  // End the question of a lane with what is known by now; the answer still comes.
  stop(lane) {
    this.#send({ stop: lane });
  }

  stopServer() {
    this.#send({ quit: true });
  }
}

function deferred() {
  let resolve;
  const promise = new Promise((done) => { resolve = done; });
  return { promise, resolve };
}
