// What may go wrong: a row per channel and per role, a button per fault. What the file declares is fixed.
import { $, button, make } from "./dom.js";

const ON = "✕", OFF = "·";
const listOf = (chosen) => (Array.isArray(chosen) ? chosen : []);  // a link may hold anything
const same = (a, b) => a[0] === b[0] && a[1] === b[1];

export class Faults {
  #settings = {};
  #changed;
  #system = null;

  constructor(changed) {
    this.#changed = changed;
    $("budget").addEventListener("input", () => {
      const text = $("budget").value.trim();
      const total = text === "" ? null : Math.max(0, Math.floor(Number(text)));
      this.#settings.budget = { ...this.#settings.budget, total: Number.isFinite(total) ? total : null };
      this.#changed();
    });
    $("budget").addEventListener("change", () => { $("budget").value = this.#settings.budget?.total ?? ""; });
  }

  get settings() { return this.#settings; }

  set settings(settings) {
    this.#settings = structuredClone(settings);
    $("budget").value = settings.budget?.total ?? "";
    if (this.#system) this.show(this.#system);
  }

  show(system) {
    this.#system = system;
    this.#fill($("channel-faults"), system.kinds, [
      ["every channel", (kind) => this.#everyChannel(kind), []],
      ...system.channels.map((channel) => [
        channel.ends.join(" → "), (kind) => this.#channel(kind, channel.ends), channel.declared,
      ]),
    ]);
    this.#fill($("role-faults"), system.role_kinds.map((kind) => [kind, kind]), [
      ["every role", (kind) => this.#everyRole(kind), []],
      ...system.roles.map((role) => [role.name, (kind) => this.#role(kind, role.name), role.declared]),
    ]);
  }

  // The table is made again after every click; the focus stays where it was.
  #fill(table, kinds, rows) {
    const focus = document.activeElement?.closest("table") === table ? document.activeElement.dataset.cell : null;
    const body = rows.map(([name, of, declared]) => make("tr", {},
      make("th", { scope: "row" }, name),
      ...kinds.map(([kind, noun]) => make("td", {}, this.#cell(of(kind), kind, noun, name, declared.includes(kind))))));
    table.tBodies[0].replaceChildren(...body);
    table.tHead.rows[0].replaceChildren(make("td"), ...kinds.map(([, noun]) => make("th", { scope: "col" }, noun)));
    if (focus) table.querySelector(`[data-cell="${CSS.escape(focus)}"]`)?.focus();
  }

  #cell({ on, flip }, kind, noun, name, declared) {
    const words = `${noun}: ${name}`;
    if (declared) return make("span", { class: "declared", title: `${words}, declared in the text` }, `${ON} text`);
    return button(on ? ON : OFF, () => { flip(); this.show(this.#system); this.#changed(); },
      { "aria-pressed": String(on), "aria-label": words, title: words, "data-cell": `${kind} ${name}` });
  }

  #everyChannel(kind) {
    const on = this.#settings[kind] === true;
    return { on, flip: () => { this.#settings[kind] = !on; } };
  }

  #channel(kind, ends) {
    const chosen = this.#settings[kind];
    const list = chosen === true ? this.#system.channels.map((channel) => channel.ends) : listOf(chosen).filter(Array.isArray);
    const on = list.some((other) => same(other, ends));
    return { on, flip: () => {
      const left = list.filter((other) => !same(other, ends));
      this.#settings[kind] = on ? (left.length ? left : false) : [...left, ends];
    } };
  }

  #everyRole(kind) {
    const names = this.#system.roles.map((role) => role.name), chosen = listOf(this.#settings[kind]);
    const on = names.every((name) => chosen.includes(name));
    return { on, flip: () => { this.#settings[kind] = on ? [] : names; } };
  }

  #role(kind, name) {
    const chosen = listOf(this.#settings[kind]), on = chosen.includes(name);
    return { on, flip: () => { this.#settings[kind] = on ? chosen.filter((other) => other !== name) : [...chosen, name]; } };
  }
}
