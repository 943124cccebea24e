// The .storm language for the editor: which words have which role, and what may be written at a place.
import { StreamLanguage } from "@codemirror/language";
import kinds from "./fault_kinds.json";

const OPENING = ["protocol", "role", "observer", "service", "unreliable", "reliable", "communication", "timers", "faults", "rest", "durable", "require", "expect"];
const INSIDE = ["internal", "timeout", "mu", "end", "crash"];
// Keywords where they stand for themselves; a state may be called so, too.
const SOFT = ["var", "const", "save", "on", "after", "any", "time", "atomically", "recorded", "partition", "stays"];
// What is written with several words.
const PHRASES = ["at any time", "on restart", "durable var", "save", "after"];
const SAID = ["timers on time", "timers at any time", "atomically", "recorded", "partition", "stays"];
const CLAIMS = ["never", "always", "possible", "leads", "to", "recovers", "clean", "violated", "under", "deadlock", "at"];
const FAULTS = [...kinds.keywords, "none"];
const KEYWORDS = new Set([...OPENING, ...INSIDE, ...CLAIMS, ...SOFT]);

// So many characters before the cursor are looked at: the patterns that end there are tried at each.
const LONGEST_LINE = 1000;

const NAME = /^[\p{L}_][\p{L}\p{N}_'.-]*/u;

export const storm = StreamLanguage.define({
  name: "storm",
  languageData: { commentTokens: { line: "//" }, indentOnInput: /^\s*\}$/, closeBrackets: { brackets: ["(", "{", '"'] } },
  startState: () => ({ previous: "", depth: 0, statement: "" }),
  // One level per brace; the alternatives of a state stand below its first one, which `format` sees to.
  indent: (state, after, context) => Math.max(0, state.depth - (/^\s*\}/.test(after) ? 1 : 0)) * context.unit,
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return named(state, stream);
    if (stream.match(/^(->|<->|→)/)) return remember(state, "->", "operator");
    if (stream.match(NAME)) return named(state, stream);
    const letter = stream.next();
    if (letter === "{" || letter === "}") state.depth = Math.max(0, state.depth + (letter === "{" ? 1 : -1));
    return remember(state, letter, "!?:|&".includes(letter) ? "operator" : null);
  },
});

function remember(state, token, kind) {
  state.previous = token;
  return kind;
}

function named(state, stream) {
  const word = stream.current(), before = state.previous;
  state.previous = word;
  if (state.depth === 0 && OPENING.includes(word)) state.statement = word;
  if (before === "role" || before === "observer" || before === "protocol") return "className";
  if (before === "!" || before === "?") return "string";
  const named_so = SOFT.includes(word) && (before === "@" || stream.match(/^\s*[:!?@]/, false));
  if (KEYWORDS.has(word) && before !== "->" && !named_so) return "keyword";
  if (FAULTS.includes(word)) return "atom";
  if (stream.match(/^\s*[!?@]/, false)) return "typeName";
  if (state.statement === "observer" && stream.match(/^\s*(->|→)/, false)) return "typeName";
  if (state.depth === 0 && (before === "->" || state.statement === "faults")) return "typeName";
  if (before === "->" || stream.match(/^\s*:/, false)) return "labelName";
  return null;
}

// What the text has, read with one eye closed: completion must work while it is broken.
function outline(text, position) {
  const roles = [...text.matchAll(/\b(?:role|observer)\s+([\p{L}_][\p{L}\p{N}_'.-]*)/gu)].map((m) => ({ name: m[1], from: m.index }));
  const current = roles.filter((role) => role.from < position).at(-1);
  const end = roles.find((role) => role.from > position)?.from ?? text.length;
  const body = current ? text.slice(current.from, end) : "";
  const states = new Set([...body.matchAll(/(?:^|[{\n])[^\S\n]*([\p{L}_][\p{L}\p{N}_'.-]*)\s*:/gu)].map((m) => m[1]));
  return { roles: roles.map((role) => role.name), role: current?.name, states: [...states] };
}

const options = (labels, type) => [...new Set(labels)].map((label) => ({ label, type }));

// Roles, states and messages: `system` is what the server last read.
export function complete(system) {
  return (context) => {
    const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_'.-]*$/u);
    const from = word ? word.from : context.pos;
    const line = context.state.doc.lineAt(from);
    const before = line.text.slice(Math.max(0, from - line.from - LONGEST_LINE), from - line.from);
    const found = outline(context.state.doc.toString(), context.pos);
    const action = /([\p{L}_][\p{L}\p{N}_'.-]*)\s*([!?])\s*$/u.exec(before);
    if (action) return { from, options: options(messages(system(), found.role, action[1], action[2]), "constant") };
    if (/->\s*$/.test(before)) return { from, options: options([...found.states, "end"], "variable") };
    const at = /([\p{L}_][\p{L}\p{N}_'.-]*)@$/u.exec(before);
    if (at) {
      const role = system()?.roles.find((entry) => entry.name === at[1]);
      return { from, options: options(role ? role.states : [], "variable") };
    }
    if (!word && !context.explicit) return null;
    const keywords = found.role && /\}\s*$/.test(before) === false && inBlock(context) ? [...INSIDE, ...PHRASES] : [...OPENING, ...SAID];
    return { from, options: [...options(found.roles, "class"), ...options([...keywords, ...CLAIMS, ...FAULTS], "keyword")] };
  };
}

function inBlock(context) {
  const text = context.state.sliceDoc(0, context.pos).replace(/\/\/.*$/gm, "");
  return text.split("{").length > text.split("}").length;
}

function messages(system, role, peer, kind) {
  if (!system) return [];
  const [sender, receiver] = kind === "!" ? [role, peer] : [peer, role];
  const exact = system.channels.filter((c) => c.ends[0] === sender && c.ends[1] === receiver);
  const chosen = exact.length ? exact : system.channels;
  return chosen.flatMap((channel) => channel.messages);
}
