// Mend it: verified repairs, each as a diff that is applied with a button and undone with another.
import { $, button, make } from "./dom.js";

export class Mending {
  #editor;
  #asking = false;
  #ask;
  #stop;
  #before = null;  // {text, mended}: what the text was before a repair was applied

  // `ask` resolves to what the server says; `stop` ends the search.
  constructor(editor, ask, stop) {
    this.#editor = editor;
    this.#ask = ask;
    this.#stop = stop;
    $("mend")?.addEventListener("click", () => (this.#asking ? this.#stop() : this.#search()));
  }

  // Repairs are searched for what is violated, and not only by its classes.
  offer(broken) {
    if (!$("mend")) return;
    $("mend").hidden = !broken && !this.#asking;
  }

  async #search() {
    this.#asking = true;
    this.#before = null;
    $("mend").textContent = "Stop";
    this.#say("searching for lines that mend it; each is checked…");
    $("repairs").replaceChildren();
    const said = await this.#ask();
    this.#asking = false;
    $("mend").textContent = "Mend it";
    if (said.answer) this.#show(said.answer);
    else if (said.cancelled) this.forget();
    else this.#say(said.problem ?? said.defect ?? "stopped");
  }

  // The text or the faults have changed: repairs are of another protocol. The way back from one stays.
  forget() {
    if (!$("mend")) return;
    const applied = this.#before && this.#editor.text === this.#before.mended;
    if (applied) return;
    this.#before = null;
    this.#say("");
    $("repairs").replaceChildren();
  }

  #say(words) { $("mend-state").textContent = words; }

  #show({ repairs, why }) {
    this.#say(repairs.length ? "" : why || "no repair was found: no few lines that the search tried mend it");
    $("repairs").replaceChildren(...repairs.map((repair) => this.#card(repair)));
  }

  #card(repair) {
    return make("div", { class: "repair" }, make("p", {}, repair.title),
      ...repair.claims.map((claim) => make("p", { class: "facts" }, `This claims that ${claim}.`)), diff(repair.diff),
      make("p", {}, button("Apply", () => this.#apply(repair))));
  }

  #apply(repair) {
    const text = this.#editor.text;
    this.#before = { text, mended: repair.text };
    this.#editor.text = repair.text;
    this.#say("");
    $("repairs").replaceChildren(make("div", { class: "repair" }, make("p", {}, `Applied. ${repair.title}.`), diff(repair.diff),
      make("p", {}, button("Undo the repair", () => this.#undo()))));
  }

  #undo() {
    this.#editor.text = this.#before.text;
    this.#before = null;
    $("repairs").replaceChildren();
  }
}

const NAMES = { "+": "added", "-": "removed", " ": "unchanged" };

const diff = (rows) => make("pre", { class: "diff", tabindex: "0", "aria-label": "what changes" }, ...rows.map(({ sign, line, text }) =>
  make("span", { class: NAMES[sign] }, `${sign} ${String(line).padStart(3)} ${text}\n`)));
