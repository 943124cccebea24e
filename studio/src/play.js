// One run: chosen step by step, gone back in, branched, watched. The server says where each step leads.
import { $, bringIntoSight, button, make, picture } from "./dom.js";
import kinds from "./fault_kinds.json";

// `under` names a requirement with failures of its own, whose run this is.
const EMPTY = { steps: [], at: 0, marks: null, title: "", story: "", under: null, opened: [] };
const WALK = 450;
// How long a step of a run is shown that is watched, at the usual speed: less in a long run, which takes so long in all;
// and the sizes of a chart.
const WATCH = 900, QUICKEST = 250, WHOLE = 20_000, ZOOMS = [0.4, 0.5, 0.6, 0.72, 0.85, 1, 1.2, 1.5, 2];
// Automata are drawn smaller, down to this, if they then stand side by side or need not be scrolled.
const SMALLEST = 0.72;
// A chart of more roles than this is as wide as its frame, however small that makes it.
const MANY = 6;

export class Play {
  #run = EMPTY;
  #past = [];
  #future = [];
  #shown = null;
  #fresh = false;    // what is shown is of the run as it is now
  #choices = [];     // in the order in which they stand on the page, which is that of their keys
  #roles = [];
  #walking = null;
  #watching = null;
  #zoom = null;      // null: as wide as its frame
  #lines = [];       // for each role the lines of its states
  #ask;
  #moved;
  #editor;

  // `ask(kind, question)` resolves to an answer or null; `moved` is told whenever a person changes the run. The line
  // that acts is lit in the `editor`.
  constructor(ask, moved, editor) {
    this.#ask = ask;
    this.#moved = moved;
    this.#editor = editor;
    const press = {
      "play-run": () => this.watch(), "zoom-in": () => this.zoom(1), "zoom-out": () => this.zoom(-1), "zoom-fit": () => this.zoom(0),
      "play-whole": () => this.#openAll(),
      "play-first": () => this.goTo(0), "play-back": () => this.goTo(this.#previous()), "play-next": () => this.goTo(this.#following()),
      "play-last": () => this.goTo(Infinity), "play-undo": () => this.undo(), "play-redo": () => this.redo(),
      "play-random": () => this.random(), "play-walk": () => this.walk(), "play-new": () => this.open(EMPTY), "play-way": () => this.showMe(),
    };
    for (const [id, action] of Object.entries(press)) $(id).addEventListener("click", action);
    $("play-slider").addEventListener("input", () => this.goTo(Number($("play-slider").value)));
    $("play-chart").addEventListener("click", (event) => {
      const closed = event.target.closest("[data-stretch]");
      if (closed) { this.#openStretch(Number(closed.getAttribute("data-stretch"))); return; }
      const band = event.target.closest("[data-step]");
      if (band) this.goTo(Number(band.getAttribute("data-step")) + 1);
    });
    stage.fixHeads($("play-chart"));
    $("play-automata").addEventListener("click", (event) => {
      const state = event.target.closest(".sp-at");
      if (state && !event.target.closest(".hit")) this.#goToLine(state);
    });
    $("play").addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => fit($("play-automata"))).observe($("play-automata"));
    new ResizeObserver(() => { this.#size(); this.#place(); }).observe($("play-chart"));
  }

  get run() { return this.#run; }
  get steps() { return this.#run.steps.slice(0, this.#run.at); }

  #key(event) {
    if (event.altKey || event.metaKey || event.target.matches("input, textarea, select")) return;
    if (event.key === " " && event.target.closest("button, summary, [role=button]")) return;
    const control = event.ctrlKey, key = event.key;
    const chosen = /^[1-9]$/.test(key) && !control ? this.#choices[Number(key) - 1] : null;
    const action = chosen ? () => this.take(chosen)
      : control && key === "z" ? () => this.undo() : control && (key === "y" || key === "Z") ? () => this.redo()
      : control ? null
      : { ArrowLeft: () => this.goTo(this.#previous()), ArrowRight: () => this.goTo(this.#following()), Home: () => this.goTo(0),
        End: () => this.goTo(Infinity), u: () => this.undo(), y: () => this.redo(), r: () => this.random(), w: () => this.walk(),
        n: () => this.open(EMPTY), " ": () => this.watch(), "+": () => this.zoom(1), "-": () => this.zoom(-1), 0: () => this.zoom(0), s: () => this.showMe(), Escape: () => { this.#stopWalk(); this.#pause(); closeMenu(); } }[key];
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
    this.#pause();
    if (run === EMPTY && this.#run.steps.length === 0) return null;
    return this.#change({ ...EMPTY, ...run });
  }

  // ---- a run that is watched ----------------------------------------------------------------------------

  // From where it is, at its end from the start; pressed again, it pauses.
  async watch() {
    if (this.#watching) { this.#pause(); return; }
    this.#stopWalk();
    if (!this.#run.steps.length) return;
    const watching = this.#watching = {};
    $("play-run").setAttribute("aria-pressed", "true");
    $("play-run").textContent = "Ⅱ Pause";
    if (this.#run.at >= this.#run.steps.length) await this.#step(0);
    while (this.#watching === watching && this.#run.at < this.#run.steps.length) {
      const each = Math.min(WATCH, Math.max(QUICKEST, WHOLE / this.#run.steps.length));
      await new Promise((done) => { setTimeout(done, each / Number($("play-speed").value)); });
      if (this.#watching === watching) await this.#step(this.#following());
    }
    if (this.#watching === watching) this.#pause();
  }

  #step(at) { return this.#set({ ...this.#run, at }); }

  #pause() {
    this.#watching = null;
    $("play-run").setAttribute("aria-pressed", "false");
    $("play-run").textContent = "▷ Watch";
  }

  // ---- the size of the chart, and what is folded --------------------------------------------------------

  zoom(direction) {
    if (direction === 0) this.#zoom = null;
    else {
      const now = this.#scale(), wanted = direction > 0 ? ZOOMS.find((size) => size > now + 0.01) : ZOOMS.findLast((size) => size < now - 0.01);
      this.#zoom = wanted ?? now;
    }
    this.#size();
    this.#place();
  }

  #scale() {
    const svg = $("play-chart").querySelector("svg");
    if (this.#zoom !== null || !svg) return this.#zoom ?? 1;
    const least = svg.querySelectorAll(".sp-heads .sp-box").length > MANY ? ZOOMS[0] : SMALLEST;
    return Math.min(1, Math.max(least, ($("play-chart").clientWidth - 2) / Number(svg.getAttribute("width"))));
  }

  #size() {
    const svg = $("play-chart").querySelector("svg");
    if (!svg) return;
    const scale = this.#scale();
    svg.style.width = `${Math.floor(Number(svg.getAttribute("width")) * scale)}px`;
    svg.style.height = "auto";
  }

  #place() {
    if (this.#shown) stage.chart($("play-chart"), this.#run.at, this.#shown.steps.length);
  }

  #openStretch(at) { this.#refold([...(this.#run.opened === "everything" ? [] : this.#run.opened), at]); }

  #openAll() { this.#refold(this.#run.opened === "everything" ? [] : "everything"); }

  #refold(opened) {
    this.#run = { ...this.#run, opened };
    this.refresh();
  }

  // ---- the text -----------------------------------------------------------------------------------------

  #goToLine(state) {
    const process = Number(state.getAttribute("data-process").split(" ")[0]);
    const line = this.#lines[process]?.[Number(state.getAttribute("data-state"))];
    if (line) this.#editor.goTo({ line });
  }

  // What a link or a first load brings, without a way back.
  restore(run) {
    this.#run = { ...EMPTY, ...run };
    this.#past = [];
    this.#future = [];
  }

  goTo(at) {
    this.#pause();
    return this.#set({ ...this.#run, at: Math.min(Math.max(at, 0), this.#run.steps.length) });
  }

  // What is shown of another run offers steps that may not be possible in this one.
  take(choice) {
    if (!this.#fresh) return null;
    const steps = this.steps.concat(choice.steps);
    this.#pause();
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
    this.#lines = system.roles.map((role) => role.lines);
    if (!system.pictures) return;
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
    receive(await this.#ask("play", { steps: asked.steps, at: asked.at, marks: asked.marks, opened: asked.opened }, hear));
  }

  #show() {
    const { moments, steps, rest, way, choices } = this.#shown, at = this.#run.at, last = steps.length;
    $("play").classList.toggle("empty", last === 0);
    $("play-chart").replaceChildren(picture(this.#shown.svg));
    this.#size();
    this.#place();
    $("play-whole").hidden = !this.#shown.folded && this.#run.opened !== "everything";
    $("play-whole").textContent = this.#run.opened === "everything" ? "Fold what does not matter" : "Show every step and role";
    $("play-title").textContent = this.#run.title;
    $("play-story").hidden = !this.#run.story;
    $("play-story").querySelector("p").textContent = this.#run.story;
    this.#editor.act(actingLine(moments, at));
    $("play-under").textContent = this.#run.under === null ? "" : `Played under the failures of the requirement ${this.#run.under}.`;
    $("play-problem").textContent = this.#shown.problem;
    $("play-say").textContent = `${at} of ${last}: ${moments[at].say}`;
    Object.assign($("play-slider"), { max: last, value: at });
    this.#enable(at, last, choices);
    this.#showBroken(moments, at);
    this.#showRest(rest[at], way);
    stage.contents($("play-channels"), moments[at].in);
    stage.locals($("play-states"), moments[at], this.#roles);
    this.#showSteps(moments, rest, at);
    this.#showChoices(choices);
    this.#light();
  }

  #enable(at, last, choices) {
    const off = {
      "play-run": last === 0, "play-first": at === 0, "play-back": at === 0, "play-next": at === last, "play-last": at === last, "play-new": last === 0,
      "play-undo": !this.#past.length, "play-redo": !this.#future.length, "play-random": !choices.length, "play-walk": !choices.length && !this.#walking,
    };
    for (const [id, disabled] of Object.entries(off)) $(id).disabled = disabled;
  }

  #showRest(rest, way) {
    const [mark, words] = restWords(rest, way), broken = $("play-broken").textContent !== "";
    // No tick stands below what is violated.
    $("play-rest").replaceChildren(make("span", { class: "mark" }, broken && mark === "✔" ? "·" : mark), " ", words);
    $("play-rest").dataset.rest = rest;
    $("play-rest").dataset.broken = String(broken);
    $("play-way").hidden = !way;
  }

  // What is required and violated at this moment, or was before it: a run cannot make that good.
  #showBroken(moments, at) {
    const first = new Map();
    moments.slice(0, at + 1).forEach((moment, i) => moment.broken.forEach((rule) => { if (!first.has(rule.name)) first.set(rule.name, [i, rule]); }));
    const rows = [...first.values()].map(([i, { name, claim, expected }]) => {
      const here = i === at, verb = /^(never|clean)/.test(claim) || claim === "" ? "is violated" : "cannot hold any more";
      const when = here ? `${verb} from here on` : `${verb}, since step ${i}`;
      return make("span", { class: expected ? "known" : "wrong" }, `${expected ? "◇" : "✘"} ${name} ${when}${claim && claim !== name ? `: ${claim}` : ""}${expected ? " (a known limit)" : ""}`);
    });
    $("play-broken").replaceChildren(...rows);
  }

  // The run as a list: every step can be gone back to; the one that made rest impossible is marked.
  #showSteps(moments, rest, at) {
    $("play-steps").replaceChildren(...moments.map((moment, i) => {
      const lost = i > 0 && rest[i] === "never" && rest[i - 1] !== "never";
      const before = i > 0 ? moments[i - 1].broken.map((rule) => rule.name) : [];
      const broken = moment.broken.filter((rule) => !before.includes(rule.name));
      const label = (moment.fault ? "⚠ " : "") + moment.say + (lost ? " ✘ from here on it cannot come to rest" : "")
        + broken.map((rule) => ` ${rule.expected ? "◇" : "✘"} ${rule.name} is violated`).join("");
      const wrong = lost || broken.some((rule) => !rule.expected);
      return make("li", { class: [i > at && "later", lost && "lost", wrong && "wrong"].filter(Boolean).join(" ") },
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

// A fault strikes what a line before it has done; that stays lit.
function actingLine(moments, at) {
  let i = at;
  while (i > 0 && moments[i].line === null && moments[i].fault) i--;
  return moments[i].line;
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
