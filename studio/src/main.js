// The page of the studio: the text is written at the left; faults, answers and runs stand at the right.
import { Answers } from "./answers.js";
import { Connection } from "./connection.js";
import { showConstants } from "./constants.js";
import { $, button, dialog, download, later, make } from "./dom.js";
import { makeEditor } from "./editor.js";
import { Faults } from "./faults.js";
import { fromFragment, toFragment } from "./keep.js";
import { chooseFile, chooseProtocol } from "./library.js";
import { Local } from "./local.js";
import { Mending } from "./mending.js";
import { Mutants } from "./mutants.js";
import { snippets, toPng } from "./picturing.js";
import { Play } from "./play.js";
import { Trying } from "./trying.js";

const QUICK = 100_000, LONG = 5_000_000;
// How long a line may be written before its mistakes are shown.
const WRITTEN = 1500;
// Static files have no server: the page answers by itself.
const ALONE = "alone" in document.body.dataset;

let started = false;
let reading = null;         // the last reading of the text, until it has ended
let system = null;          // what the server last read
let stopped = false;        // Stop was pressed, and the answer has not come yet
let quit = false;           // the studio was stopped from here
let library = [];           // the built-in protocols, by group
let card = "";              // the language on a page
let example = "";           // what an empty text can begin with
let places = {};            // where the states were last drawn
let file = null;            // {name, base, text}: the file that Save writes, as it was last read or written
let name = "protocol";
let kept = "";              // the text as it was opened, saved, downloaded or shared

const connection = ALONE ? new Local(told) : new Connection(told);
const editor = makeEditor($("editor"), document.querySelector("meta[name=nonce]").content, {
  changed: edited,
  system: () => system,
  keys: [
    { key: "Mod-s", preventDefault: true, run: () => { save(); return true; } },
    { key: "Shift-Alt-f", preventDefault: true, run: () => { format(); return true; } },
  ],
});
const faults = new Faults(() => { forgetLink(); forgetMutants(); mending.forget(); ask(QUICK); play.refresh(); });
const answers = new Answers(openRun, stop, () => ask(LONG), () => ask(QUICK), offer);
const play = new Play(question, forgetLink, editor);
const asked = (kind, effort) => (hear) => connection.ask(kind, { text: editor.text, settings: faults.settings, effort }, { hear });
const mending = new Mending(editor, asked("repairs", QUICK), () => connection.stop("repairs"));
const trying = new Trying(faults, asked("frontier", LONG / 5), () => connection.stop("frontier"));
const mutants = new Mutants(editor, asked("mutants", QUICK), () => connection.stop("mutants"));

// ---- from the server ------------------------------------------------------------------------------------

if (ALONE) status("Python is being loaded; the first time, that is 5 MB.");

async function told(message) {
  if (message.lost) lost();
  if (message.broken) status(message.broken, true);
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
  card = hello.card;
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
  const hearing = ({ partial }) => { if (partial) showReading(partial); };
  const said = await connection.ask("read", { text: editor.text, before: places }, { hear: hearing });
  if (said.cancelled) return;
  if (!said.answer) { problem(said); return; }
  showReading(said.answer);
}

// What was read; of a large protocol the pictures come later.
function showReading(answer) {
  showProblems(answer.problems, answer.converted);
  const mistaken = !answer.system;
  document.body.classList.toggle("mistaken", mistaken);
  $("play").inert = mistaken;
  showConstants(editor);
  if (mistaken) return;
  system = answer.system;
  document.body.classList.toggle("drawing", !system.pictures);
  if (system.pictures) places = Object.fromEntries(system.pictures.filter((entry) => entry.roles.length).map((entry) => [entry.roles[0], entry.places]));
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
  mending.forget();
  trying.forget();
  showFile();
  answers.old("the text has changed");
  pause();
}

// The mistakes of the line that is being written wait until it is left, or nothing is typed for a while.
let lastProblems = null, patience = null;

function showProblems(problems, converted) {
  lastProblems = [problems, converted];
  clearTimeout(patience);
  const line = editor.line, waits = (entry) => entry.severity === "error" && entry.line === line && editor.justWritten(WRITTEN);
  if (problems.some(waits)) patience = setTimeout(() => showProblems(...lastProblems), WRITTEN);
  listProblems(problems.filter((entry) => !waits(entry)), converted, problems.some(waits));
}

function listProblems(problems, converted, waiting) {
  const rows = problems.map((entry) => make("li", { class: entry.severity }, button(
    `${entry.severity === "error" ? "✘ error" : "⚠ warning"}, line ${entry.line ?? 1}: ${entry.message}${entry.hint ? ` (${entry.hint})` : ""}`,
    () => editor.goTo(entry))));
  const empty = editor.text.trim() === "";
  editor.underline(empty ? [] : problems);
  if (empty) rows.splice(0, rows.length, make("li", {}, button("Write an example", () => { editor.text = example; editor.view.focus(); }), " or open a protocol with Open… above."));
  if (converted) rows.unshift(make("li", {}, `This is ${converted.language}. `, button("Show it as .storm", () => { editor.text = converted.text; })));
  $("problems").replaceChildren(...rows);
  const count = problems.length === 0 ? (waiting ? "this line is being written" : "no problems") : `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  $("problem-count").textContent = empty ? "the text is empty" : count;
}

async function format() {
  const said = await connection.ask("format", { text: editor.text });
  if (said.answer) editor.text = said.answer.text;
  else if (!said.cancelled) status(said.problem ?? said.defect);
}

async function openLibrary() {
  const chosen = await chooseProtocol(library);
  if (!chosen) return;
  if (chosen.file) { await openFile(); return; }
  if (!(await leaves(`Open ${chosen.name}?`))) return;
  const said = await connection.ask("library", { name: chosen.name });
  if (said.answer) begin(chosen.name, said.answer.text);
}

async function openFile() {
  const chosen = await chooseFile();
  if (chosen && (await leaves(`Open ${chosen.name}?`))) begin(chosen.name, chosen.text);
}

async function openNew() {
  if (await leaves("Begin a new text?")) begin("protocol", "");
}

const leaves = async (title) => !unkept() || confirmed(title, "What you have changed is not saved.");

// Another text, in no file that Save writes.
function begin(title, text) {
  play.restore({});
  faults.settings = { ...faults.settings, ...NO_FAULTS() };
  openText(title, text, null);
  pause.now();
}

// What was set for another protocol is not meant for this one.
const NO_FAULTS = () => Object.fromEntries((system?.switches ?? []).flatMap((group) => group.kinds.map(([kind]) => [kind, group.all === null ? [] : false])));

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
  const mistaken = document.body.classList.contains("mistaken");
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

function offer(answer) {
  mending.offer(answer?.verdicts.some((row) => row.kind !== "class" && row.ok === false) ?? false);
}

async function openRun(row) {
  const { steps, marks, under, why, ends } = row.run;
  showView("play");
  $("play").focus({ preventScroll: true });
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  await play.open({ steps, at: still ? steps.length : 0, marks, under, title: `${marks.say}. It ends with ${ends}.`, story: why });
  $("play").scrollIntoView({ block: "start" });
  if (!still) play.watch();
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
  else if (!document.body.classList.contains("mistaken")) status(said.problem);
}

function forgetLink() {
  if (started && location.hash) history.replaceState(null, "", location.pathname);
}

async function share() {
  const fragment = await toFragment({ text: editor.text, settings: faults.settings, run: play.run });
  const link = `${location.href.split("#")[0]}#${fragment}`;
  kept = editor.text;
  history.replaceState(null, "", `#${fragment}`);
  const box = make("textarea", { readonly: true, rows: 5, id: "link", "aria-label": "the link" });
  box.value = link;
  const copied = make("span", { role: "status" });
  const copy = async () => {
    box.select();
    await navigator.clipboard.writeText(link).catch(() => document.execCommand("copy"));
    copied.textContent = "✔ Copied.";
  };
  await dialog("A link to this text, these faults and this run", [
    make("p", {}, "Everything is in the link itself.", ALONE ? "" : " On another machine it is opened with ", ALONE ? "" : make("code", {}, "stormproof studio LINK"), ALONE ? "" : "."), box, copied,
  ], [["Copy", copy], ["Close", ""]]);
}

const plainName = () => name.replace(/\.storm$/, "");
const picked = (kind, more = {}) => question(kind, { steps: play.steps, marks: play.run.marks, ...more });

async function keep(kind, suffix, type, more = {}) {
  status("");
  const answer = await picked(kind, more);
  if (answer) download(`${plainName()}${suffix}`, answer.text, type);
}

async function keepPng() {
  const answer = await picked("save-chart");
  if (answer) download(`${plainName()}.png`, await toPng(answer.text), "image/png");
}

async function embed() {
  const chart = await picked("save-chart"), mermaid = await picked("save-mermaid");
  if (!chart || !mermaid) return;
  const said = $("answer-said").textContent || plainName(), ready = snippets(chart.text, mermaid.text, said);
  const fields = [["HTML, with the chart as a picture", ready.html], ["Markdown, for what draws Mermaid", ready.markdown]].map(([label, text]) => {
    const box = make("textarea", { readonly: true, rows: 6, "aria-label": label });
    box.value = text;
    const copy = async () => { box.select(); await navigator.clipboard.writeText(text).catch(() => document.execCommand("copy")); };
    return make("div", {}, make("h3", {}, label), box, button("Copy", copy));
  });
  await dialog("A snippet to embed", fields, [["Close", ""]]);
}

const actions = {
  new: openNew, open: openLibrary, save, format, share, embed, "keep-png": keepPng,
  "keep-mermaid": () => keep("save-mermaid", ".mmd", "text/plain"),
  card: () => dialog("The language on a page", [make("pre", { class: "card-text", tabindex: "0" }, card)], [["Close", ""]]),
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
for (const [id, action] of Object.entries(actions)) $(id)?.addEventListener("click", () => { closeKeep(); action(); });

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
