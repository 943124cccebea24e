// Do the requirements notice? What survives, by line: each row leads to its line, which is marked in the text.
import { $, button, make } from "./dom.js";

export class Mutants {
  #editor;
  #asking = false;

  // `ask` resolves to what the server says, and hears how many are judged; `stop` ends the question.
  constructor(editor, ask, stop) {
    this.#editor = editor;
    $("mutate")?.addEventListener("click", () => (this.#asking ? stop() : this.#ask(ask)));
  }

  async #ask(ask) {
    this.#asking = true;
    $("mutate").textContent = "Stop";
    this.#say("making mistakes in the protocol…");
    const said = await ask(({ progress }) => {
      if (progress) this.#say(`${progress.done} of ${progress.of} mistakes tried`);
    });
    this.#asking = false;
    $("mutate").textContent = "Do the requirements notice?";
    if (said.answer) this.#show(said.answer);
    else if (!said.cancelled) this.#say(said.problem ?? said.defect ?? "stopped");
    else this.forget();
  }

  // The text or the faults have changed: the marks are about another protocol.
  forget() {
    if (!$("mutate")) return;
    this.#say("");
    $("mutants").replaceChildren();
    this.#editor.mark([]);
  }

  #say(words) {
    $("mutants-state").textContent = words;
  }

  #show({ summary, notes, mutants }) {
    this.#say([summary, ...notes].join(" · "));
    this.#editor.mark(mutants.filter((row) => row.line !== null).map((row) => ({
      ...row, severity: "info", message: `${row.status}: ${row.words}`, hint: row.suggestion ?? row.reason,
    })));
    $("mutants").replaceChildren(...mutants.map((row) => make("li", { class: row.status },
      button(`line ${row.line ?? "?"}: ${row.words}: ${row.status}`, () => this.#editor.goTo(row)),
      row.suggestion ? make("code", {}, row.suggestion) : null,
      row.suggestion && row.up_to ? ` up to ${row.up_to} messages per channel` : null,
      row.reason ? make("span", { class: "say" }, row.reason) : null)));
  }
}
