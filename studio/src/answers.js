// The answer: survival and requirements in rows, the classes below; a violation opens its run.
import { $, button, make } from "./dom.js";

export class Answers {
  #open;

  constructor(open, stop, further) {
    this.#open = open;
    $("stop").addEventListener("click", stop);
    $("further").addEventListener("click", further);
  }

  // Asked and not yet answered: what was known stays, marked as old.
  busy(words) {
    $("answer").setAttribute("aria-busy", "true");
    $("answer-state").textContent = words;
    $("stop").hidden = false;
    $("further").hidden = true;
  }

  #done(words) {
    $("answer").setAttribute("aria-busy", "false");
    $("answer-state").textContent = words;
    $("stop").hidden = true;
  }

  progress({ task, states, seconds }) {
    this.busy(`${task}: ${states.toLocaleString("en")} configurations, ${seconds.toFixed(0)} s`);
  }

  problem(words) {
    this.#done(words);
    $("verdicts").replaceChildren();
    $("classes").hidden = true;
    $("answer-notes").replaceChildren();
  }

  stopped() {
    this.#done("stopped");
    $("further").hidden = false;
  }

  show(answer) {
    this.#done(answer.facts);
    $("further").hidden = !answer.more;
    $("answer-failures").textContent = answer.failures;
    const main = answer.verdicts.filter((row) => row.kind !== "class"), classes = answer.verdicts.filter((row) => row.kind === "class");
    $("verdicts").replaceChildren(...main.map((row) => this.#row(row)));
    $("classes").hidden = classes.length === 0;
    $("class-summary").textContent = classes.map((row) => `${row.property} ${row.mark}${/^k = (\d+)$/.exec(row.say)?.[1] ?? ""}`).join(" · ");
    $("class-list").replaceChildren(...classes.map((row) => this.#row(row)));
    const notes = [...answer.notes, ...answer.verdicts.flatMap((row) => row.kind === "class" ? [] : row.notes)];
    $("answer-notes").replaceChildren(...[...new Set(notes)].map((note) => make("li", {}, note)));
  }

  #row(row) {
    const word = { true: "holds", false: "violated", null: "undecided" }[String(row.ok)];
    const watch = row.run ? button(row.word === "violated" ? "Watch it break" : "Show the run",
      () => this.#open(row), { "aria-label": `${row.word === "violated" ? "watch" : "show the run of"} ${row.property}` }) : null;
    return make("li", { class: word, "data-property": row.property },
      make("span", { class: "mark", role: "img", "aria-label": word }, row.mark), make("b", {}, row.property),
      make("span", { class: "say" }, row.say || row.word), watch);
  }
}
