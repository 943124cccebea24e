"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const SVG = "http://www.w3.org/2000/svg";
  let run = null, step = 0, cell = null;
  root.classList.add("js");

  const article = (r) => document.getElementById("run-" + r);
  const figure = (s) => document.querySelector('[data-system="' + s + '"]');
  const home = document.getElementById("automata");

  // The automata that a run steps through move beside its chart, and back when it closes.
  function borrow(r) {
    document.querySelectorAll("[data-system]").forEach((f) => { if (f.parentNode !== home) home.append(f); });
    home.hidden = false;
    if (r === null) return;
    const place = article(r).querySelector(".follow");
    place.replaceChildren(states(), channels(), figure(data.runs[r].system));
    home.hidden = !home.querySelector("figure");
  }

  function states() {
    const list = document.createElement("p");
    list.className = "states";
    list.setAttribute("data-states", "");
    return list;
  }

  function channels() {
    const table = document.createElement("table");
    table.className = "channels";
    table.setAttribute("data-channels", "");
    return table;
  }

  function open(r) {
    document.querySelectorAll(".run.open").forEach((a) => a.classList.remove("open"));
    run = r;
    borrow(r);
    if (r === null) return;
    article(r).classList.add("open");
  }

  function mark() {
    document.querySelectorAll("td.current").forEach((td) => td.classList.remove("current"));
    document.querySelectorAll("[data-cell]").forEach((a) => {
      const here = a.getAttribute("data-cell") === cell;
      a.parentNode.classList.toggle("current", here);
      if (here) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
    });
  }

  function show(to) {
    const steps = data.runs[run].steps;
    step = Math.min(Math.max(to, 0), steps.length - 1);
    const here = article(run), moment = steps[step];
    here.querySelectorAll(".chart [data-at]").forEach((e) => {
      e.classList.toggle("future", Number(e.getAttribute("data-at")) >= step);
    });
    cursor(here);
    automata(moment);
    contents(here.querySelector("[data-channels]"), moment.in);
    locals(here.querySelector("[data-states]"), moment);
    here.querySelector("[data-say]").textContent = step + " of " + (steps.length - 1) + ": " + moment.say;
    here.querySelector("[data-slider]").value = step;
    here.querySelectorAll("[data-go]").forEach((b) => {
      const back = b.getAttribute("data-go") === "first" || b.getAttribute("data-go") === "back";
      b.disabled = back ? step === 0 : step === steps.length - 1;
    });
  }

  function cursor(here) {
    const svg = here.querySelector(".chart svg");
    let line = svg.querySelector(".sp-cursor");
    if (!line) {
      line = document.createElementNS(SVG, "path");
      line.setAttribute("class", "sp-cursor");
      svg.append(line);
    }
    const band = svg.querySelector('[data-step="' + (step - 1) + '"]');
    line.setAttribute("visibility", band ? "visible" : "hidden");
    const box = here.querySelector(".chart");
    inFlight(svg, band ? Number(band.getAttribute("data-y")) : 0);
    if (!band) { box.scrollTop = 0; return; }
    const y = Number(band.getAttribute("data-y"));
    line.setAttribute("d", "M0 " + y + "H" + svg.viewBox.baseVal.width);
    const x = Number(band.getAttribute("data-x"));
    if (x < box.scrollLeft + 40 || x > box.scrollLeft + box.clientWidth - 40) box.scrollLeft = x - box.clientWidth / 2;
    if (y < box.scrollTop + 60 || y > box.scrollTop + box.clientHeight - 60) box.scrollTop = y - box.clientHeight / 2;
  }

  // A message in flight is drawn up to its current position; the rest of its arrow is faint.
  function inFlight(svg, y) {
    svg.querySelectorAll(".sp-so-far").forEach((p) => p.remove());
    svg.querySelectorAll(".sp-line[data-at]").forEach((line) => {
      const numbers = line.getAttribute("d").match(/-?[\d.]+/g).map(Number);
      const way = cut(numbers, y);
      const open = step < data.runs[run].steps.length - 1 && Number(line.getAttribute("data-at")) < step && y < numbers.at(-1);
      line.classList.toggle("in-flight", open);
      if (!open || way.length < 2) return;
      const done = line.cloneNode(false);
      done.removeAttribute("data-at");
      done.classList.remove("in-flight");
      done.classList.add("sp-so-far");
      done.setAttribute("d", "M" + way.map((point) => point.join(" ")).join("L"));
      line.after(done);
    });
  }

  // The corners of a line down to a height, and the point where it gets there.
  function cut(numbers, y) {
    const way = [];
    for (let i = 0; i < numbers.length; i += 2) {
      const [x1, y1, x2, y2] = [numbers[i - 2], numbers[i - 1], numbers[i], numbers[i + 1]];
      if (y2 <= y) way.push([x2, y2]);
      else if (i && y1 < y) way.push([x1 + (x2 - x1) * (y - y1) / (y2 - y1), y]);
    }
    return way;
  }

  function automata(moment) {
    const picture = figure(data.runs[run].system);
    picture.querySelectorAll(".sp-at").forEach((g) => {
      const at = moment.at[Number(g.getAttribute("data-process"))];
      g.classList.toggle("now", at === Number(g.getAttribute("data-state")));
    });
    picture.querySelectorAll("[data-edge]").forEach((p) => {
      p.classList.toggle("taken", p.getAttribute("data-edge") === moment.edge);
    });
    if (moment.edge !== null) reveal(picture, moment.edge.split(":")[0]);
  }

  // The automaton of the process that acts comes into view, if the automata have to be scrolled: from its name on
  // if that shows the current state too.
  function reveal(picture, process) {
    const state = picture.querySelector('.now[data-process="' + process + '"]');
    if (!state || !picture.closest(".follow")) return;
    const box = picture.getBoundingClientRect(), here = state.getBoundingClientRect();
    const top = state.closest("svg").getBoundingClientRect().top;
    if (top >= box.top && here.bottom <= box.bottom) return;
    picture.scrollTop += here.bottom - top < box.height ? top - box.top : here.top - box.top - box.height / 2;
  }

  function locals(list, moment) {
    const acting = moment.edge === null ? -1 : Number(moment.edge.split(":")[0]);
    list.replaceChildren(...data.systems[data.runs[run].system].map(([name, names], i) => {
      const entry = document.createElement("span"), state = document.createElement("b");
      state.textContent = names[moment.at[i]];
      entry.append(name + " in ", state);
      entry.classList.toggle("acting", i === acting);
      return entry;
    }));
  }

  function contents(table, rows) {
    const caption = document.createElement("caption");
    caption.textContent = rows.length ? "In the channels, head first" : "The channels are empty";
    const lines = rows.map(([name, word]) => {
      const row = document.createElement("tr"), head = document.createElement("th"), body = document.createElement("td");
      head.scope = "row";
      head.textContent = name;
      word.forEach((message) => {
        const chip = document.createElement("span");
        chip.textContent = message;
        body.append(chip);
      });
      row.append(head, body);
      return row;
    });
    table.replaceChildren(caption, ...lines);
  }

  // The address says what is shown, so that a link leads to a step: #loss.k-pg/3
  function follow() {
    const [name, where] = decodeURIComponent(location.hash.slice(1)).split("/");
    if (!Object.hasOwn(data.cells, name)) {
      if (run !== null && !location.hash) { cell = null; open(null); mark(); }
      return;
    }
    const fresh = cell !== name;
    cell = name;
    if (run !== data.cells[name]) open(data.cells[name]);
    mark();
    const number = Number.parseInt(where, 10);
    show(Number.isNaN(number) ? data.runs[run].steps.length - 1 : number);
    if (fresh) {
      const title = article(run).querySelector("h3");
      title.focus({ preventScroll: true });
      title.scrollIntoView({ block: "start" });
    }
  }

  function go(to) {
    show(to);
    history.replaceState(null, "", "#" + cell + "/" + step);
  }

  function close() {
    const link = document.querySelector('[data-cell="' + cell + '"]');
    cell = null;
    open(null);
    mark();
    history.replaceState(null, "", location.pathname + location.search);
    if (link) link.focus();
  }

  const moves = { first: () => 0, back: () => step - 1, next: () => step + 1, last: () => Infinity };
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };

  document.addEventListener("keydown", (event) => {
    if (run === null || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") { close(); return; }
    if (!keys[event.key] || event.target.matches("input")) return;
    event.preventDefault();
    go(moves[keys[event.key]]());
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go]"), band = event.target.closest("[data-step]");
    if (button) go(moves[button.getAttribute("data-go")]());
    else if (band && run !== null && article(run).contains(band)) go(Number(band.getAttribute("data-step")) + 1);
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-slider]")) go(Number(event.target.value));
  });
  addEventListener("hashchange", follow);

  // The names of the processes stay in sight while a long chart scrolls.
  document.querySelectorAll(".chart").forEach((box) => {
    const heads = box.querySelector(".sp-heads"), top = Number(heads.getAttribute("data-top"));
    box.addEventListener("scroll", () => {
      heads.setAttribute("transform", "translate(0 " + Math.max(0, box.scrollTop - top + 4) + ")");
    });
  });
  document.querySelectorAll(".chart svg").forEach((svg) => {
    if (svg.viewBox.baseVal.height > 900) svg.classList.add("tall");
  });
  follow();
})();
