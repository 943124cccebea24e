"use strict";
// What the report page and the studio have in common: one moment of a run, on its chart, on the automata and in words.
// A moment has `say`, `at` (a state's number per role), `in` (channels with their content) and `edge` (the transition
// taken, or null). `roles` are [name, states] in the order of the system.
const stage = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  // The chart as far as it has come: what is later is faint, a line marks the moment, messages in flight are cut.
  function chart(box, step, last) {
    box.querySelectorAll("[data-at]").forEach((e) => {
      e.classList.toggle("future", Number(e.getAttribute("data-at")) >= step);
    });
    const svg = box.querySelector("svg");
    let line = svg.querySelector(".sp-cursor");
    if (!line) {
      line = document.createElementNS(SVG, "path");
      line.setAttribute("class", "sp-cursor");
      svg.append(line);
    }
    const band = svg.querySelector('[data-step="' + (step - 1) + '"]');
    line.setAttribute("visibility", band ? "visible" : "hidden");
    // The line is below the instant, at which the labels of its states stand.
    const y = band ? Number(band.getAttribute("data-y")) + 9 : 0;
    inFlight(svg, y, step, last);
    if (!band) { box.scrollTop = 0; return; }
    line.setAttribute("d", "M0 " + y + "H" + svg.viewBox.baseVal.width);
    const size = scale(svg), x = Number(band.getAttribute("data-x")) * size, down = y * size;
    if (x < box.scrollLeft + 40 || x > box.scrollLeft + box.clientWidth - 40) box.scrollLeft = x - box.clientWidth / 2;
    if (down < box.scrollTop + 60 || down > box.scrollTop + box.clientHeight - 60) box.scrollTop = down - box.clientHeight / 2;
  }

  // A picture may be shown smaller or larger than it was drawn.
  function scale(svg) {
    return (svg.getBoundingClientRect().width || svg.viewBox.baseVal.width) / svg.viewBox.baseVal.width;
  }

  // A message in flight is drawn up to its current position; the rest of its arrow is faint.
  function inFlight(svg, y, step, last) {
    svg.querySelectorAll(".sp-so-far").forEach((p) => p.remove());
    svg.querySelectorAll(".sp-line[data-at]").forEach((line) => {
      const numbers = line.getAttribute("d").match(/-?[\d.]+/g).map(Number);
      const way = cut(numbers, y);
      const open = step < last && Number(line.getAttribute("data-at")) < step && y < numbers.at(-1);
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

  // At most three names; of more, two and how many others there are.
  const few = (names) => names.length <= 3 ? names.join(", ") : names.slice(0, 2).join(", ") + " + " + (names.length - 2);

  // The current states are lit, with the names of who is there where a picture stands for several roles.
  function automata(picture, moment, roles) {
    picture.querySelectorAll(".sp-at").forEach((g) => {
      const state = Number(g.getAttribute("data-state"));
      const here = g.getAttribute("data-process").split(" ").map(Number).filter((p) => moment.at[p] === state);
      g.classList.toggle("now", here.length > 0);
      const who = g.querySelector(".sp-who");
      if (who) who.textContent = few(here.map((p) => roles[p][0]));
    });
    picture.querySelectorAll("[data-edge]").forEach((p) => {
      p.classList.toggle("taken", p.getAttribute("data-edge").split(" ").includes(moment.edge));
    });
  }

  // The automaton of the process that acts, at the start the first one, comes into view if the automata have to be
  // scrolled: from its name on if that shows the current state too.
  function reveal(box, moment) {
    const process = moment.edge === null ? "0" : moment.edge.split(":")[0];
    const state = box.querySelector('.now[data-process~="' + process + '"]');
    if (!state) return;
    const frame = box.getBoundingClientRect(), here = state.getBoundingClientRect();
    const top = state.closest("svg").getBoundingClientRect().top;
    if (here.left < frame.left || here.right > frame.right) box.scrollLeft += (here.left + here.right - frame.left - frame.right) / 2;
    if (top >= frame.top && here.bottom <= frame.bottom) return;
    box.scrollTop += here.bottom - top < frame.height ? top - frame.top : here.top - frame.top - frame.height / 2;
  }

  function locals(list, moment, roles) {
    const acting = moment.edge === null ? -1 : Number(moment.edge.split(":")[0]);
    list.replaceChildren(...roles.map(([name, names], i) => {
      const entry = document.createElement("span"), state = document.createElement("b");
      state.textContent = names[moment.at[i]] ?? moment.states?.[i] ?? "";
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

  // The names of the processes stay in sight while a long chart scrolls.
  function fixHeads(box) {
    box.addEventListener("scroll", () => {
      const heads = box.querySelector(".sp-heads");
      if (!heads) return;
      const top = Number(heads.getAttribute("data-top")), down = Math.max(0, box.scrollTop / scale(heads.ownerSVGElement) - top + 4);
      heads.setAttribute("transform", "translate(0 " + down + ")");
      heads.classList.toggle("moved", down > 0);  // on a strip of their own: what scrolls below is not cut in halves
    });
  }

  return { chart, automata, reveal, locals, contents, fixHeads };
})();
