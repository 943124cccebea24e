// The answer: one sentence, then survival and requirements in rows, the classes below; a violation opens its run.
import { $, button, make } from "./dom.js";

export class Answers {
  #open;
  #told;
  #last = null;  // the last answer to this text and these faults

  // `told` hears of every answer, and null while there is none.
  constructor(open, stop, further, again, told) {
    this.#open = open;
    this.#told = told;
    $("stop").addEventListener("click", stop);
    $("further").addEventListener("click", further);
    $("again").addEventListener("click", again);
  }

  // The text or the faults have changed: what was known stays, marked as old, until the next answer.
  old(words) {
    $("answer").setAttribute("aria-busy", "true");
    $("answer").dataset.known = "nothing";
    $("answer-state").textContent = words;
    $("further").hidden = $("again").hidden = true;
  }

  // `further`: the question is the one that was answered last.
  busy(words, further) {
    const pressed = [$("further"), $("again")].includes(document.activeElement);
    if (!further) this.#last = null;
    this.old(words);
    $("stop").hidden = false;
    if (pressed) $("stop").focus();
  }

  #done(words) {
    const pressed = document.activeElement === $("stop");
    $("answer").setAttribute("aria-busy", "false");
    $("answer-state").textContent = words;
    $("stop").hidden = true;
    if (pressed) $("ask").focus({ preventScroll: true });
  }

  progress({ task, states, seconds, known }) {
    const now = `${task}: ${states.toLocaleString("en")} configurations, ${seconds.toFixed(0)} s`;
    $("answer-state").textContent = known ? `${now}; known so far: ${known}` : now;
  }

  stopping() {
    $("answer-state").textContent = "stopping";
  }

  // There is no answer; `again`: asking once more may help.
  problem(words, again = false) {
    this.#done(words);
    $("again").hidden = !again;
    $("answer-said").textContent = $("answer-failures").textContent = "";
    $("verdicts").replaceChildren();
    $("answer").dataset.known = "nothing";
    $("classes").hidden = true;
    $("answer-notes").replaceChildren();
    this.#told(null);
  }

  // Stopped before anything new was known of this text.
  stopped() {
    if (this.#last === null) this.problem("stopped before there was an answer");
    else this.show({ ...this.#last, stopped: true });
    $("further").hidden = false;
  }

  // Survival and requirements are known, or some of them; the rest is still searched.
  partial(answer) {
    this.#fill(answer);
    $("classes").hidden = false;
    $("class-summary").textContent = "searching…";
    $("class-list").replaceChildren();
    $("answer").dataset.known = "survival";
  }

  // Where it was stopped, what was known before is still known.
  show(answer) {
    const same = (row, other) => other.property === row.property && other.kind === row.kind && other.line === row.line;
    const before = (row) => this.#last?.verdicts.find((other) => same(row, other) && other.ok !== null);
    if (answer.stopped) answer.verdicts = answer.verdicts.map((row) => (row.ok === null ? before(row) ?? row : row));
    this.#last = answer;
    this.#done(answer.stopped ? `stopped: this is what is known after ${answer.facts}` : answer.facts);
    $("further").hidden = !answer.more;
    this.#fill(answer);
    const classes = answer.verdicts.filter((row) => row.kind === "class");
    $("classes").hidden = classes.length === 0;
    $("class-summary").textContent = classes.map((row) => `${row.property} ${row.mark}${/^k = (\d+)$/.exec(row.say)?.[1] ?? ""}`).join(" · ");
    $("class-list").replaceChildren(...classes.map((row) => this.#row(row)));
    $("answer").dataset.known = "everything";
    this.#told(answer);
  }

  #fill(answer) {
    $("answer-said").textContent = answer.verdicts.length ? answer.answer : "";
    $("answer-said").dataset.broken = String(answer.verdicts.some((row) => row.counts && row.ok === false));
    $("answer-failures").textContent = answer.failures;
    const rows = answer.verdicts.filter((row) => row.kind !== "class");
    $("verdicts").replaceChildren(...rows.map((row) => this.#row(row)));
    const notes = [...answer.notes, ...rows.flatMap((row) => row.notes)];
    $("answer-notes").replaceChildren(...[...new Set(notes)].map((note) => make("li", {}, note)));
  }

  #row(row) {
    const word = row.status === "proved" ? "holds" : row.status.replace(" ", "-");
    const label = row.word === "violated" ? "Watch it break" : "Show the run";
    const watch = row.run ? button(label, () => this.#open(row), { class: "watch", "aria-label": `${label}: ${row.property}` }) : null;
    const words = make("dl", { class: "meaning", hidden: true }, ...row.meaning.flatMap(([what, says]) => [make("dt", {}, what), make("dd", {}, says)]));
    const explain = button("?", () => {
      words.hidden = !words.hidden;
      explain.setAttribute("aria-expanded", String(!words.hidden));
    }, { class: "why", title: "what this says", "aria-label": `what the answer on ${row.property} says`, "aria-expanded": "false" });
    return make("li", { class: word, "data-property": row.property },
      make("span", { class: "mark", role: "img", "aria-label": row.status }, row.mark),
      make("div", {}, make("b", {}, row.property), " ", make("span", { class: "say" }, row.say || row.word), " ", explain), watch,
      row.claim ? make("span", { class: "claim" }, row.claim) : null,
      row.run && row.word === "violated" && row.kind !== "class" ? make("span", { class: "ends" }, `ends with ${row.run.ends}`) : null, words);
  }
}
