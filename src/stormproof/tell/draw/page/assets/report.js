(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
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
    article(r).querySelector(".follow").append(figure(data.runs[r].system));
    home.hidden = !home.querySelector("figure");
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
    stage.chart(here.querySelector(".chart"), step, steps.length - 1);
    const system = data.runs[run].system, picture = figure(system), roles = data.systems[system];
    stage.automata(picture, moment, roles);
    if (picture.closest(".follow")) stage.reveal(picture, moment);
    stage.contents(here.querySelector("[data-channels]"), moment.in);
    stage.locals(here.querySelector("[data-states]"), moment, roles);
    here.querySelector("[data-say]").textContent = step + " of " + (steps.length - 1) + ": " + moment.say;
    here.querySelector("[data-slider]").value = step;
    here.querySelectorAll("[data-go]").forEach((b) => {
      const back = b.getAttribute("data-go") === "first" || b.getAttribute("data-go") === "back";
      b.disabled = back ? step === 0 : step === steps.length - 1;
    });
  }

  // The address says what is shown, so that a link leads to a step: #loss.k-pg/3. A page in a frame of a notebook has
  // no address of its own; there, links are followed without it.
  const framed = location.protocol === "about:";

  function follow() {
    const [name, where] = decodeURIComponent(location.hash.slice(1)).split("/");
    if (Object.hasOwn(data.cells, name)) showCell(name, where);
    else if (run === null && !location.hash && data.first !== null) showFirst();
    else if (run !== null && !location.hash) { cell = null; open(null); mark(); }
  }

  // The first violation is open when the page is; nothing is scrolled.
  function showFirst() {
    cell = data.first;
    open(data.cells[cell]);
    mark();
    show(Infinity);
  }

  function showCell(name, where) {
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

  function remember(address) {
    if (!framed) history.replaceState(null, "", address);
  }

  function go(to) {
    show(to);
    remember("#" + cell + "/" + step);
  }

  function close() {
    const link = document.querySelector('[data-cell="' + cell + '"]');
    cell = null;
    open(null);
    mark();
    remember(location.pathname + location.search);
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
    const link = event.target.closest("[data-cell]");
    if (link && framed) {
      event.preventDefault();
      showCell(link.getAttribute("data-cell"));
    } else if (button) go(moves[button.getAttribute("data-go")]());
    else if (band && run !== null && article(run).contains(band)) go(Number(band.getAttribute("data-step")) + 1);
  });
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-slider]")) go(Number(event.target.value));
  });
  addEventListener("hashchange", follow);

  document.querySelectorAll(".chart").forEach(stage.fixHeads);
  document.querySelectorAll(".chart svg").forEach((svg) => {
    if (svg.viewBox.baseVal.height > 900) svg.classList.add("tall");
  });
  // Automata that would be too small to read beside a chart are scrolled instead.
  document.querySelectorAll(".automata svg").forEach((svg) => {
    if (svg.viewBox.baseVal.width > 1200) svg.classList.add("wide");
  });
  follow();
})();
