// Links: the text, the settings and the run, compressed into the fragment, which no browser sends anywhere.

const MARK = "s=";

// What a link may unpack to: a file may not be larger either. A megabyte of a hostile one would become a gigabyte.
const MOST_MIB = 16;

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    size += value.length;
    if (size <= MOST_MIB * 2 ** 20) continue;
    reader.cancel().catch(() => {});
    throw new LinkProblem(`This link unpacks to more than ${MOST_MIB} MiB and is not opened.`);
  }
}

class LinkProblem extends Error {}

function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const fromBase64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

export async function toFragment(state) {
  const bytes = new TextEncoder().encode(JSON.stringify({ v: 1, ...state }));
  return MARK + toBase64(await through(new CompressionStream("deflate-raw"), bytes));
}

// Anybody may have written it, so it is looked at before anything works with it.
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isRun = (run) => isObject(run) && Number.isInteger(run.at) && Array.isArray(run.steps) && run.steps.every(isObject);
const isState = (state) => state?.v === 1 && typeof state.text === "string"
  && (state.settings === undefined || isObject(state.settings)) && (state.run === undefined || isRun(state.run));

// What a fragment holds; an Error in words if that cannot be read, and null if there is none.
export async function fromFragment(fragment) {
  if (fragment === "") return null;
  try {
    if (!fragment.startsWith(MARK)) throw new LinkProblem();
    const bytes = await through(new DecompressionStream("deflate-raw"), fromBase64(fragment.slice(MARK.length)));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    if (isState(state)) return state;
  } catch (problem) {
    if (problem instanceof LinkProblem && problem.message) throw problem;
  }
  throw new LinkProblem("This link cannot be read.");
}
