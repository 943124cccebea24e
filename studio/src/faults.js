// What may go wrong: a table per group of switches, a row per place, a button per fault. Which groups, rows and kinds
// there are is for the server to say; what the file declares is fixed.
import { $, button, make } from "./dom.js";

const ON = "✕", OFF = "·";
// Of more rows than this, those of one sender are folded, and a filter is offered.
const MANY = 8;
const listOf = (chosen) => (Array.isArray(chosen) ? chosen : []);  // a link may hold anything
const same = (a, b) => String(a) === String(b) && Array.isArray(a) === Array.isArray(b);

export class Faults {
  #settings = {};
  #changed;
  #groups = [];
  #tried = new Map();   // kind and place -> what Try everything found
  #open = new Set();    // the groups of rows that are unfolded

  constructor(changed) {
    this.#changed = changed;
    $("budget").addEventListener("input", () => {
      const text = $("budget").value.trim();
      const total = text === "" ? null : Math.max(0, Math.floor(Number(text)));
      this.#settings.budget = { ...this.#settings.budget, total: Number.isFinite(total) ? total : null };
      this.#changed();
    });
    $("budget").addEventListener("change", () => { $("budget").value = this.#settings.budget?.total ?? ""; });
    $("filter").addEventListener("input", () => this.#draw());
  }

  get settings() { return this.#settings; }

  set settings(settings) {
    this.#settings = structuredClone(settings);
    $("budget").value = settings.budget?.total ?? "";
    this.#draw();
  }

  show(system) {
    this.#groups = system.switches;
    this.#draw();
  }

  // What each fault does by itself, in its switch.
  paint(cells) {
    this.#tried = new Map(cells.map((cell) => [`${cell.kind} ${cell.of}`, cell]));
    this.#draw();
  }

  // The tables are made again after every click; the focus stays where it was.
  #draw() {
    const held = document.activeElement?.dataset?.cell;
    const many = this.#groups.some((group) => group.rows.length > MANY);
    $("filter-label").hidden = !many;
    $("switches").replaceChildren(...this.#groups.map((group) => this.#table(group)));
    if (held) $("switches").querySelector(`[data-cell="${CSS.escape(held)}"]`)?.focus();
  }

  #table(group) {
    const wanted = $("filter-label").hidden ? "" : $("filter").value.trim().toLowerCase();
    const rows = group.rows.filter((row) => row.name.toLowerCase().includes(wanted));
    const body = [this.#row(group, `every ${group.what}`, (kind) => this.#every(group, kind), [], null), ...this.#rows(group, rows, wanted !== "")];
    const head = make("tr", {}, make("td"), ...group.kinds.map(([, noun]) => make("th", { scope: "col" }, noun)));
    return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": group.title ?? `faults of ${group.what}s` },
      make("table", { id: `${group.what}-faults` }, make("thead", {}, head), make("tbody", {}, ...body)));
  }

  #rows(group, rows, all) {
    const single = (row) => this.#row(group, row.name, (kind) => this.#one(group, kind, [row.key]), row.declared, row.key);
    if (all || rows.length <= MANY || !rows[0]?.group) return rows.map(single);
    const found = [];
    for (const [name, part] of grouped(rows)) {
      const open = this.#open.has(name);
      const flip = button(`${open ? "▾" : "▸"} ${name}`, () => {
        if (!this.#open.delete(name)) this.#open.add(name);
        this.#draw();
      }, { class: "fold", "aria-expanded": String(open), "data-cell": `fold ${name}` });
      found.push(this.#row(group, flip, (kind) => this.#one(group, kind, part.map((row) => row.key)), [], null, `all ${name}`));
      if (open) found.push(...part.map(single));
    }
    return found;
  }

  #row(group, name, of, declared, key, words = name) {
    return make("tr", {}, make("th", { scope: "row" }, name),
      ...group.kinds.map(([kind, noun]) => make("td", {}, this.#cell(of(kind), kind, noun, words, declared.includes(kind), key))));
  }

  #cell({ on, flip }, kind, noun, name, declared, key) {
    const tried = key === null ? null : this.#tried.get(`${kind} ${key}`);
    const words = `${noun}: ${name}`, said = tried ? `${words}, ${tried.say}` : words;
    const sign = tried ? make("small", { class: `tried ${tried.status.replace(" ", "-")}` }, tried.sign) : null;
    if (declared) return make("span", { class: "declared", title: `${said}, declared in the text` }, `${ON} text`, sign);
    const cell = button(on ? ON : OFF, () => { flip(); this.#draw(); this.#changed(); },
      { "aria-pressed": String(on), "aria-label": said, title: said, "data-cell": `${kind} ${name}` });
    if (sign) cell.append(sign);
    return cell;
  }

  #keys(group) { return group.rows.map((row) => row.key); }

  // Where a group has no word for every row, every row is listed.
  #every(group, kind) {
    if (group.all === null) return this.#one(group, kind, this.#keys(group));
    const on = this.#settings[kind] === group.all;
    return { on, flip: () => { this.#settings[kind] = on ? false : group.all; } };
  }

  #one(group, kind, keys) {
    const chosen = this.#settings[kind];
    const list = group.all !== null && chosen === group.all ? this.#keys(group) : listOf(chosen);
    const has = (key) => list.some((other) => same(other, key));
    const on = keys.every(has), none = group.all === null ? [] : false;
    return { on, flip: () => {
      const left = list.filter((other) => !keys.some((key) => same(other, key)));
      const next = on ? left : [...left, ...keys];
      this.#settings[kind] = next.length ? next : none;
    } };
  }
}

function grouped(rows) {
  const found = new Map();
  for (const row of rows) found.set(row.group, [...(found.get(row.group) ?? []), row]);
  return found;
}
