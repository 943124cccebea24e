// One run: chosen step by step, gone back in, branched, watched. The server says where each step leads.
import { $, bringIntoSight, button, make, picture } from "./dom.js";
import kinds from "./fault_kinds.json";

// `under` names a requirement with failures of its own, whose run this is.
const EMPTY = { steps: [], at: 0, marks: null, title: "", under: null };
const WALK = 450;
// Automata are drawn smaller, down to this, if they then stand side by side or need not be scrolled.
const SMALLEST = 0.72;

export class Play {
  #run = EMPTY;
  #past = [];
  #future = [];
  #shown = null;
  #fresh = false;    // what is shown is of the run as it is now
  #choices = [];     // in the order in which they stand on the page, which is that of their keys
  #roles = [];
  #walking = null;
  #ask;
  #moved;

  // `ask(kind, question)` resolves to an answer or null; `moved` is told whenever a person changes the run.
  constructor(ask, moved) {
    this.#ask = ask;
    this.#moved = moved;
    const press = {
      "play-first": () => this.goTo(0), "play-back": () => this.goTo(this.#previous()), "play-next": () => this.goTo(this.#following()),
      "play-last": () => this.goTo(Infinity), "play-undo": () => this.undo(), "play-redo": () => this.redo(),
      "play-random": () => this.random(), "play-walk": () => this.walk(), "play-new": () => this.open(EMPTY), "play-way": () => this.showMe(),
    };
    for (const [id, action] of Object.entries(press)) $(id).addEventListener("click", action);
    $("play-slider").addEventListener("input", () => this.goTo(Number($("play-slider").value)));
    $("play-chart").addEventListener("click", (event) => {
      const band = event.target.closest("[data-step]");
      if (band) this.goTo(Number(band.getAttribute("data-step")) + 1);
    });
    stage.fixHeads($("play-chart"));
    $("play").addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => fit($("play-automata"))).observe($("play-automata"));
  }

  get run() { return this.#run; }
  get steps() { return this.#run.steps.slice(0, this.#run.at); }

  #key(event) {
    if (event.altKey || event.metaKey || event.target.matches("input, textarea")) return;
    const control = event.ctrlKey, key = event.key;
    const chosen = /^[1-9]$/.test(key) && !control ? this.#choices[Number(key) - 1] : null;
    const action = chosen ? () => this.take(chosen)
      : control && key === "z" ? () => this.undo() : control && (key === "y" || key === "Z") ? () => this.redo()
      : control ? null
      : { ArrowLeft: () => this.goTo(this.#previous()), ArrowRight: () => this.goTo(this.#following()), Home: () => this.goTo(0),
        End: () => this.goTo(Infinity), u: () => this.undo(), y: () => this.redo(), r: () => this.random(), w: () => this.walk(),
        n: () => this.open(EMPTY), s: () => this.showMe(), Escape: () => { this.#stopWalk(); closeMenu(); } }[key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // A fault stands right behind the send that it strikes, and before the reception: they are one step to a person.
  #stops() {
    const steps = this.#run.steps, found = [0];
    const isFault = (step) => step !== undefined && !["send", "receive", "internal"].includes(step.do);
    const opensReception = (step) => kinds.stepsOfReceptions.includes(step.do);
    for (let i = 1; i <= steps.length; i++) if (!isFault(steps[i]) && !opensReception(steps[i - 1])) found.push(i);
    if (found.at(-1) !== steps.length) found.push(steps.length);
    return found;
  }

  #previous() { return this.#stops().filter((stop) => stop < this.#run.at).at(-1) ?? 0; }
  #following() { return this.#stops().find((stop) => stop > this.#run.at) ?? this.#run.steps.length; }

  #change(run) {
    this.#past.push(this.#run);
    this.#future = [];
    return this.#set(run);
  }

  #set(run) {
    this.#run = run;
    this.#fresh = false;
    this.#moved();
    return this.refresh();
  }

  open(run) {
    this.#stopWalk();
    if (run === EMPTY && this.#run.steps.length === 0) return;
    this.#change({ ...EMPTY, ...run });
  }

  // What a link or a first load brings, without a way back.
  restore(run) {
    this.#run = { ...EMPTY, ...run };
    this.#past = [];
    this.#future = [];
  }

  goTo(at) {
    return this.#set({ ...this.#run, at: Math.min(Math.max(at, 0), this.#run.steps.length) });
  }

  // What is shown of another run offers steps that may not be possible in this one.
  take(choice) {
    if (!this.#fresh) return null;
    const steps = this.steps.concat(choice.steps);
    const onward = this.#run.steps.slice(0, steps.length);
    if (JSON.stringify(onward) === JSON.stringify(steps)) return this.goTo(steps.length);
    return this.#change({ ...EMPTY, under: this.#run.under, steps, at: steps.length });
  }

  undo() {
    this.#stopWalk();
    if (!this.#past.length) return;
    this.#future.push(this.#run);
    this.#set(this.#past.pop());
  }

  redo() {
    if (!this.#future.length) return;
    this.#past.push(this.#run);
    this.#set(this.#future.pop());
  }

  async random() {
    const all = this.#fresh ? this.#choices : [];
    if (!all.length) return false;
    const calm = all.filter((choice) => !choice.faults);
    const pool = calm.length && Math.random() < 0.8 ? calm : all;
    await this.take(pool[Math.floor(Math.random() * pool.length)]);
    return true;
  }

  // A step is shown for a while before the next one is taken, however long it took to get there.
  async walk() {
    if (this.#walking) { this.#stopWalk(); return; }
    const walk = this.#walking = {};
    $("play-walk").setAttribute("aria-pressed", "true");
    while (this.#walking === walk && this.#run.steps.length <= 400 && await this.random()) {
      await new Promise((done) => { setTimeout(done, WALK); });
    }
    if (this.#walking === walk) this.#stopWalk();
  }

  #stopWalk() {
    this.#walking = null;
    $("play-walk").setAttribute("aria-pressed", "false");
  }

  async showMe() {
    this.#stopWalk();
    const answer = await this.#ask("way", { steps: this.steps });
    if (!answer) return;
    if (answer.steps === null) $("play-rest").textContent = "no way to rest was found";
    else if (answer.steps.length) this.#change({ ...EMPTY, under: this.#run.under, steps: this.steps.concat(answer.steps), at: this.#run.at, title: "The shortest way to rest." });
  }

  // New text or new settings: the pictures are of another system, and the run may no longer fit.
  pictures(system) {
    this.#roles = system.roles.map((role) => [role.name, role.states]);
    $("play-automata").replaceChildren(...system.pictures.map((entry) =>
      entry.roles.length ? picture(entry.svg) : make("div", { class: "legend" }, picture(entry.svg))));
    fit($("play-automata"));
    if (this.#shown) this.#light();
  }

  // What was hidden could not be scrolled.
  appear() {
    if (this.#fresh) this.#show();
  }

  async refresh() {
    let asked = this.#run;
    const receive = (answer) => {
      if (!answer || asked !== this.#run) return;
      const cut = answer.steps.length < asked.steps.length;
      asked = this.#run = { ...asked, steps: answer.steps, at: answer.at, marks: cut ? null : asked.marks };
      this.#shown = answer;
      this.#fresh = true;
      this.#show();
    };
    const hear = ({ partial }) => { if (partial) receive(partial); };
    receive(await this.#ask("play", { steps: asked.steps, at: asked.at, marks: asked.marks }, hear));
  }

  #show() {
    const { moments, steps, rest, way, choices } = this.#shown, at = this.#run.at, last = steps.length;
    $("play-chart").replaceChildren(picture(this.#shown.svg));
    stage.chart($("play-chart"), at, last);
    $("play-title").textContent = this.#run.title;
    $("play-under").textContent = this.#run.under === null ? "" : `Played under the failures of the requirement ${this.#run.under}.`;
    $("play-problem").textContent = this.#shown.problem;
    $("play-say").textContent = `${at} of ${last}: ${moments[at].say}`;
    Object.assign($("play-slider"), { max: last, value: at });
    this.#enable(at, last, choices);
    this.#showRest(rest[at], way);
    stage.contents($("play-channels"), moments[at].in);
    stage.locals($("play-states"), moments[at], this.#roles);
    this.#showSteps(moments, rest, at);
    this.#showChoices(choices);
    this.#light();
  }

  #enable(at, last, choices) {
    const off = {
      "play-first": at === 0, "play-back": at === 0, "play-next": at === last, "play-last": at === last, "play-new": last === 0,
      "play-undo": !this.#past.length, "play-redo": !this.#future.length, "play-random": !choices.length, "play-walk": !choices.length && !this.#walking,
    };
    for (const [id, disabled] of Object.entries(off)) $(id).disabled = disabled;
  }

  #showRest(rest, way) {
    const [mark, words] = restWords(rest, way);
    $("play-rest").replaceChildren(make("span", { class: "mark" }, mark), " ", words);
    $("play-rest").dataset.rest = rest;
    $("play-way").hidden = !way;
  }

  // The run as a list: every step can be gone back to; the one that made rest impossible is marked.
  #showSteps(moments, rest, at) {
    $("play-steps").replaceChildren(...moments.map((moment, i) => {
      const lost = i > 0 && rest[i] === "never" && rest[i - 1] !== "never";
      const label = (moment.fault ? "⚠ " : "") + moment.say + (lost ? " ✘ from here on it cannot come to rest" : "");
      return make("li", { class: [i > at && "later", lost && "lost"].filter(Boolean).join(" ") },
        button(label, () => this.goTo(i), i === at ? { "aria-current": "step" } : {}));
    }));
    bringIntoSight($("play-steps"), $("play-steps").querySelector("[aria-current]"));
  }

  #showChoices(choices) {
    const groups = new Map();
    for (const choice of choices) {
      const key = choice.say + "\n" + choice.edge;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(choice);
    }
    this.#choices = [...groups.values()].flat();
    const rows = [...groups.values()].map((group) => make("li", {},
      ...group.map((choice, n) => this.#choice(choice, this.#choices.indexOf(choice), n === 0))));
    const held = document.activeElement?.closest("#play-choices") ? true : false;
    $("play-choices").replaceChildren(...rows);
    $("play-none").hidden = rows.length > 0;
    if (held) $("play-choices").querySelector("button")?.focus({ preventScroll: true });
  }

  // What goes wrong stands beside the same step without it; where there is none, the step is named too.
  #choice(choice, i, first) {
    const key = i < 9 ? String(i + 1) : null;
    const whole = sayAll(choice), label = choice.strikes ? `⚠ ${first ? whole : choice.strikes}` : choice.say;
    return button(label, () => this.take(choice),
      { class: choice.faults ? "fault" : "calm", "aria-label": whole, "data-key": key, "aria-keyshortcuts": key });
  }

  // The automata: current states lit, and what may happen next as buttons on the edges.
  #light() {
    const box = $("play-automata"), moment = this.#shown.moments[this.#run.at];
    if (!moment) return;
    stage.automata(box, moment, this.#roles);
    box.querySelectorAll(".hit").forEach((hit) => hit.remove());
    box.querySelectorAll(".can").forEach((edge) => edge.classList.remove("can"));
    const byEdge = new Map();
    for (const choice of this.#shown.choices) if (choice.edge !== null) byEdge.set(choice.edge, [...(byEdge.get(choice.edge) ?? []), choice]);
    for (const [edge, choices] of byEdge) this.#onEdge(box, edge, choices);
    stage.reveal(box, moment);
  }

  #onEdge(box, edge, choices) {
    const line = box.querySelector(`path[data-edge~="${edge}"]`);
    if (!line) return;
    line.classList.add("can");
    const previous = line.nextElementSibling?.classList.contains("hit") ? line.nextElementSibling : null;
    const hit = previous ?? line.cloneNode(false);
    if (!previous) {
      hit.setAttribute("class", "hit");
      hit.removeAttribute("data-edge");
      hit.setAttribute("role", "button");
      hit.setAttribute("tabindex", "0");
      hit.choices = [];
      const act = (event) => {
        if (hit.choices.length === 1) this.#takeFromPicture(hit.choices[0]);
        else this.#menu(hit, event);
      };
      hit.addEventListener("click", act);
      hit.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        act(event);
      });
      line.after(hit);
      line.closest("svg").setAttribute("role", "group");  // an image has no buttons inside
    }
    hit.choices.push(...choices);
    hit.setAttribute("aria-label", [...new Set(hit.choices.map((choice) => choice.say))].join("; "));
  }

  // The edge vanishes; the focus stays where the keys of Play are.
  #takeFromPicture(choice) {
    $("play").focus({ preventScroll: true });
    this.take(choice);
  }

  // Several things may happen on this edge: choose one.
  #menu(hit, event) {
    closeMenu();
    const frame = hit.getBoundingClientRect();
    const x = event.clientX || frame.x + frame.width / 2, y = event.clientY || frame.y + frame.height / 2;
    const menu = make("div", { class: "menu", role: "menu", "aria-label": "what happens" }, ...hit.choices.map((choice) =>
      button(choice.strikes ? `⚠ ${sayAll(choice)}` : choice.say, () => { closeMenu(); this.#takeFromPicture(choice); },
        { role: "menuitem", class: choice.faults ? "fault" : "calm" })));
    document.querySelector("main").append(menu);
    const width = menu.offsetWidth, height = menu.offsetHeight;
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 8))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 8))}px`;
    menu.addEventListener("keydown", (pressed) => {
      if (pressed.key === "Escape") { closeMenu(); hit.focus(); }
      const step = { ArrowDown: 1, ArrowUp: -1 }[pressed.key];
      if (!step) return;
      pressed.preventDefault();
      const items = [...menu.children];
      items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
    });
    menu.firstElementChild.focus();
    setTimeout(() => document.addEventListener("click", closeMenu, { once: true }));
  }
}

// `Sender sends d0 to Receiver: lost`; what a role suffers on its own is said already.
const sayAll = ({ say, strikes, own }) => (strikes && !own ? `${say}: ${strikes}` : say);

function fit(box) {
  const drawn = [...box.querySelectorAll(":scope > svg")], room = box.clientWidth;
  const widths = drawn.map((svg) => Number(svg.getAttribute("width")));
  const all = widths.reduce((sum, width) => sum + width, 0), widest = Math.max(...widths);
  const scale = room / all >= SMALLEST ? room / all : Math.max(room / widest, SMALLEST);
  drawn.forEach((svg, i) => { svg.style.width = scale < 1 ? `${Math.floor(widths[i] * scale)}px` : ""; });
}

function closeMenu() {
  document.querySelectorAll(".menu").forEach((menu) => menu.remove());
}

function restWords(rest, way) {
  if (rest === "never") return ["✘", "it cannot come to rest any more, unless another fault helps"];
  if (rest === "searching") return ["…", "searching whether it can still come to rest"];
  if (rest === "unknown") return ["?", "whether it can still come to rest was not decided"];
  return ["✔", way === 0 ? "at rest" : `it can still come to rest, in ${way} ${way === 1 ? "step" : "steps"}`];
}
