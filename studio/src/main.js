// The page of the studio: the text is written at the left; faults, answers and runs stand at the right.
import { Answers } from "./answers.js";
import { Connection } from "./connection.js";
import { $, button, dialog, download, later, make } from "./dom.js";
import { makeEditor } from "./editor.js";
import { Faults } from "./faults.js";
import { fromFragment, toFragment } from "./keep.js";
import { Mutants } from "./mutants.js";
import { Play } from "./play.js";

const QUICK = 100_000, LONG = 5_000_000;

let started = false;
let reading = null;         // the last reading of the text, until it has ended
let system = null;          // what the server last read
let stopped = false;        // Stop was pressed, and the answer has not come yet
let quit = false;           // the studio was stopped from here
let library = {};           // the built-in protocols, by group
let example = "";           // what an empty text can begin with
let places = {};            // where the states were last drawn
let file = null;            // {name, base, text}: the file that Save writes, as it was last read or written
let name = "protocol";
let kept = "";              // the text as it was opened, saved, downloaded or shared

const connection = new Connection(told);
const editor = makeEditor($("editor"), document.querySelector("meta[name=nonce]").content, {
  changed: edited,
  system: () => system,
  keys: [
    { key: "Mod-s", preventDefault: true, run: () => { save(); return true; } },
    { key: "Shift-Alt-f", preventDefault: true, run: () => { format(); return true; } },
  ],
});
const faults = new Faults(() => { forgetLink(); forgetMutants(); ask(QUICK); play.refresh(); });
const answers = new Answers(openRun, stop, () => ask(LONG), () => ask(QUICK));
const play = new Play(question, forgetLink);
const mutants = new Mutants(editor,
  (hear) => connection.ask("mutants", { text: editor.text, settings: faults.settings, effort: QUICK }, { hear }),
  () => connection.stop("mutants"));

// ---- from the server ------------------------------------------------------------------------------------

async function told(message) {
  if (message.lost) lost();
  if (message.trouble !== undefined && file !== null) trouble(message.trouble);
  if (message.changed) await fileChanged(message.changed);
  if (!message.hello) return;
  status("");
  if (started) {
    await fileChanged(message.hello.document);
    pause.now();
    return;
  }
  const hello = message.hello;
  const linked = await fromFragment(location.hash.slice(1)).catch((problem) => {
    status(`${problem.message} The studio shows what it was started with.`, true);
    return null;
  });
  example = hello.example;
  library = hello.library;
  if (linked) openText("a shared protocol", linked.text, null);
  else openText(hello.document.name, hello.document.text, hello.document);
  faults.settings = { ...hello.settings, ...(linked?.settings ?? {}) };
  if (linked?.run) play.restore(linked.run);
  started = true;
  pause.now();
}

function lost() {
  status(quit ? "The studio has stopped. This page can be closed." : "The studio does not answer. If it was stopped, start it again; a shared link keeps your work.", true);
  answers.problem("");
}

function openText(title, text, document_) {
  name = title;
  file = document_?.file ? { name: document_.file, base: document_.version, text } : null;
  editor.text = kept = text;
  showFile();
}

const dirty = () => file !== null && editor.text !== file.text;
const unkept = () => dirty() || (file === null && editor.text !== kept);

function showFile() {
  $("title").textContent = name;
  $("file-state").textContent = file === null ? "not in a file" : dirty() ? "changed, not saved" : file.base ? "saved" : file.text ? "no longer on disk" : "new file";
  $("save").textContent = file === null ? "Download" : "Save";
  document.title = `${dirty() ? "• " : ""}${name} · stormproof studio`;
}

function status(words, urgent = false) {
  $("status").textContent = words;
  $("status").classList.toggle("urgent", urgent);
}

// ---- write ----------------------------------------------------------------------------------------------

// The text is read and checked at the same time: the pictures do not delay the answer.
const pause = later(150, readAndCheck);

function readAndCheck() {
  connection.cancel("play");  // of the text as it was
  reading = read();
  ask(QUICK);
}

async function read() {
  const said = await connection.ask("read", { text: editor.text, before: places });
  if (said.cancelled) return;
  if (!said.answer) { problem(said); return; }
  const { problems, converted } = said.answer;
  showProblems(problems, converted);
  const mistaken = !said.answer.system;
  document.body.classList.toggle("mistaken", mistaken);
  $("play").inert = mistaken;
  if (mistaken) return;
  system = said.answer.system;
  places = Object.fromEntries(system.pictures.filter((entry) => entry.roles.length).map((entry) => [entry.roles[0], entry.places]));
  if (file === null && system.name) name = system.name;
  showFile();
  document.body.classList.add("ready");
  $("facts").textContent = system.facts.join(" · ");
  faults.show(system);
  play.pictures(system);
  play.refresh();
}

function edited() {
  if (!started) return;
  forgetLink();
  forgetMutants();
  showFile();
  answers.old("the text has changed");
  pause();
}

function showProblems(problems, converted) {
  const rows = problems.map((entry) => make("li", { class: entry.severity }, button(
    `${entry.severity === "error" ? "✘ error" : "⚠ warning"}, line ${entry.line ?? 1}: ${entry.message}${entry.hint ? ` (${entry.hint})` : ""}`,
    () => editor.goTo(entry))));
  const empty = editor.text.trim() === "";
  editor.underline(empty ? [] : problems);
  if (empty) rows.splice(0, rows.length, make("li", {}, button("Write an example", () => { editor.text = example; editor.view.focus(); }), " or open a built-in protocol above."));
  if (converted) rows.unshift(make("li", {}, `This is ${converted.language}. `, button("Show it as .storm", () => { editor.text = converted.text; })));
  $("problems").replaceChildren(...rows);
  $("problem-count").textContent = empty ? "the text is empty" : problems.length === 0 ? "no problems" : `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
}

async function format() {
  const said = await connection.ask("format", { text: editor.text });
  if (said.answer) editor.text = said.answer.text;
  else if (!said.cancelled) status(said.problem ?? said.defect);
}

// A list in a dialog: a menu in the bar would open whatever the arrow keys pass.
async function openLibrary() {
  const groups = Object.entries(library).map(([title, names]) => make("optgroup", { label: title }, ...names.map((entry) => make("option", {}, entry))));
  const list = make("select", { size: 16, "aria-label": "built-in protocols", autofocus: true }, ...groups);
  const take = () => { if (list.value) list.closest("dialog").close(list.value); };
  list.addEventListener("dblclick", take);
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();  // it would press the button that opened the dialog
    take();
  });
  list.selectedIndex = 0;
  const chosen = await dialog("Open a built-in protocol", [list], [["Open", take], ["Cancel", ""]]);
  if (!chosen || (unkept() && !(await confirmed(`Open ${chosen}?`, "What you have changed is not saved.")))) return;
  const said = await connection.ask("library", { name: chosen });
  if (!said.answer) return;
  play.restore({});
  openText(chosen, said.answer.text, null);
  pause.now();
}

const confirmed = async (title, words) => (await dialog(title, [make("p", {}, words)], [["Go on", "yes"], ["Cancel", ""]])) === "yes";

async function save() {
  if (file === null) {
    kept = editor.text;
    download(`${name.replace(/\.storm$/, "")}.storm`, kept, "text/plain");
    return;
  }
  const text = editor.text, said = await connection.ask("save", { text, base: file.base });
  if (said.problem) { status(said.problem, true); return; }
  if (said.answer?.conflict) { await conflict(said.answer.conflict); return; }
  if (!said.answer) return;
  file = { ...file, base: said.answer.saved, text };
  status("");
  showFile();
}

async function conflict(theirs) {
  const choice = await dialog("The file has changed on disk", [make("p", {}, file.name)],
    [["Load what is there", "load"], ["Overwrite it", "overwrite"], ["Cancel", ""]]);
  if (choice === "load") loadFile(theirs);
  if (choice === "overwrite") { file.base = theirs.version; await save(); }
}

function loadFile({ text, version }) {
  file = { ...file, base: version, text };
  editor.text = text;
  status("");
  showFile();
}

async function fileChanged(now) {
  if (file === null || now.version === file.base) return;
  if (!now.version) {
    file.base = "";
    showFile();
    status("The file is gone from the disk. Save writes it again.");
    return;
  }
  if (!dirty()) { loadFile(now); status("The file has changed on disk and was loaded again."); return; }
  $("status").replaceChildren("The file has changed on disk. ", button("Load it", () => loadFile(now)), " ", button("Keep mine", () => status("")));
}

function trouble(words) {
  status(words && `The file on disk: ${words}. Nothing is saved over it until that is mended.`, true);
}

// ---- ask ------------------------------------------------------------------------------------------------

async function ask(effort) {
  answers.busy(effort === QUICK ? "checking" : "searching further", effort === LONG);
  stopped = false;
  const said = await connection.ask("check", { text: editor.text, settings: faults.settings, effort }, { hear });
  if (said.answer) answers.show(said.answer);
  else if (said.stopped) answers.stopped();
  else if (!said.cancelled) await explain(said);
}

function hear({ progress, partial }) {
  if (partial) answers.partial(partial);
  else if (!stopped) answers.progress(progress);
}

// Why there is no answer: where the text has mistakes, they are listed below it.
async function explain(said) {
  await reading;
  const mistaken = $("problems").querySelector(".error") !== null;
  if (editor.text.trim() === "") answers.problem("Write a protocol to see the answer.");
  else if (mistaken) answers.problem("The text has mistakes; mend them to see the answer.");
  else answers.problem(said.problem ?? said.defect, true);
}

// The answer with what is known comes at once; pressed again, nobody waits for it.
function stop() {
  if (!stopped) {
    stopped = true;
    answers.stopping();
    connection.stop("check");
  } else {
    connection.cancel("check");
    answers.stopped();
  }
}

// What was said of another text, or under other faults.
function forgetMutants() {
  connection.cancel("mutants");
  mutants.forget();
}

function openRun(row) {
  const { steps, marks, under, why } = row.run;
  play.open({ steps, at: steps.length, marks, under, title: why });
  showView("play");
  $("play").focus({ preventScroll: true });
  $("play").scrollIntoView({ block: "start" });
}

// ---- play and keep --------------------------------------------------------------------------------------

async function question(kind, more, hear = null) {
  if (!system) return null;
  const settings = { ...faults.settings, under: play.run.under };
  const said = await connection.ask(kind, { text: editor.text, settings, ...more }, { hear });
  if (said.answer) return said.answer;
  if (!said.cancelled) problem(said);
  return null;
}

// While the text has mistakes the last pictures stay; the mistakes are listed already.
function problem(said) {
  if (said.defect) status(`A defect of stormproof, please report it: ${said.defect}`, true);
  else if (!$("problems").querySelector(".error")) status(said.problem);
}

function forgetLink() {
  if (started && location.hash) history.replaceState(null, "", location.pathname);
}

async function share() {
  const fragment = await toFragment({ text: editor.text, settings: faults.settings, run: play.run });
  const link = `${location.origin}/#${fragment}`;
  kept = editor.text;
  history.replaceState(null, "", `/#${fragment}`);
  const box = make("textarea", { readonly: true, rows: 5, id: "link", "aria-label": "the link" });
  box.value = link;
  const copied = make("span", { role: "status" });
  const copy = async () => {
    box.select();
    await navigator.clipboard.writeText(link).catch(() => document.execCommand("copy"));
    copied.textContent = "✔ Copied.";
  };
  await dialog("A link to this text, these faults and this run", [
    make("p", {}, "Everything is in the link itself. On another machine it is opened with ", make("code", {}, "stormproof studio LINK"), "."), box, copied,
  ], [["Copy", copy], ["Close", ""]]);
}

async function keep(kind, suffix, type, more = {}) {
  status("");
  const answer = await question(kind, { steps: play.steps, ...more });
  if (answer) download(`${name.replace(/\.storm$/, "")}${suffix}`, answer.text, type);
}

const actions = {
  open: openLibrary, save, format, share,
  "keep-run": () => keep("save-run", "-run.json", "application/json"),
  "keep-chart": () => keep("save-chart", ".svg", "image/svg+xml"),
  "keep-page": () => keep("save-page", ".html", "text/html", { effort: 1_000_000 }),
  "stop-server": async () => {
    if (await confirmed("Stop the studio?", unkept() ? "What you have changed is not saved." : "Every open page of it stops too.")) { quit = true; connection.stopServer(); }
  },
  help: () => dialog("Keys", [$("keys").content.cloneNode(true)], [["Close", ""]]),
};
function closeKeep() {
  if ($("keep").contains(document.activeElement)) $("keep").querySelector("summary").focus();
  $("keep").open = false;
}
for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", () => { closeKeep(); action(); });

// ---- views and keys -------------------------------------------------------------------------------------

const VIEWS = ["write", "ask", "play"];

// On a narrow screen one view is shown at a time; on a wide one all of them are.
function showView(view) {
  document.body.dataset.view = view;
  for (const other of VIEWS) $(`view-${other}`).setAttribute("aria-pressed", String(other === view));
  if (view === "play") play.appear();
}
for (const view of VIEWS) $(`view-${view}`).addEventListener("click", () => showView(view));
showView("write");

document.addEventListener("keydown", (event) => {
  const control = event.ctrlKey || event.metaKey;
  if (event.key === "F6") {
    event.preventDefault();
    const here = VIEWS.findIndex((view) => $(view).contains(document.activeElement));
    const next = VIEWS[(here + (event.shiftKey ? 2 : 1)) % 3];
    showView(next);
    if (next === "write") editor.view.focus();
    else $(next).focus();
  } else if (control && event.key === "s") {
    event.preventDefault();
    save();
  } else if (event.key === "?" && !event.target.closest(".cm-editor, input, textarea")) actions.help();
});
document.addEventListener("click", (event) => { if (!event.target.closest("#keep")) $("keep").open = false; });
$("keep").addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeKeep();
});
addEventListener("beforeunload", (event) => { if (unkept()) event.preventDefault(); });
addEventListener("hashchange", () => { if (location.hash.startsWith("#s=")) location.reload(); });
