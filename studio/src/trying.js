// Try everything: what each fault does by itself, painted into its switch.
import { $, make } from "./dom.js";

export class Trying {
  #asking = false;
  #faults;

  constructor(faults, ask, stop) {
    this.#faults = faults;
    $("try")?.addEventListener("click", () => (this.#asking ? stop() : this.#ask(ask)));
  }

  async #ask(ask) {
    this.#asking = true;
    $("try").textContent = "Stop";
    $("try-state").textContent = "trying each fault by itself, and together…";
    const said = await ask(({ progress }) => {
      if (progress) $("try-state").textContent = `${progress.done} sets of faults tried`;
    });
    this.#asking = false;
    $("try").textContent = "Try everything";
    if (said.answer) this.#show(said.answer);
    else if (said.cancelled) this.forget();
    else $("try-state").textContent = said.problem ?? said.defect ?? "stopped";
  }

  // What was tried is of another text.
  forget() {
    if (!$("try")) return;
    $("try-state").textContent = "";
    $("tolerates").replaceChildren();
    this.#faults.paint([]);
  }

  #show({ cells, tolerates, more, complete, without, notes }) {
    this.#faults.paint(cells);
    $("try-state").textContent = without ? `It fails without any fault: ${without}`
      : `${complete ? "" : "Not everything was decided. "}In the switches: ✔ survived, ◐ up to a channel length, ✘ 2 breaks with two faults, ✘+ together with others.`;
    const rows = without ? [] : tolerates.map((words) => `survives ${words}`);
    if (more) rows.push(`and ${more} other largest sets`);
    $("tolerates").replaceChildren(...[...rows, ...notes].map((words) => make("li", {}, words)));
  }
}
