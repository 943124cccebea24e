// Links: the text, the settings and the run, compressed into the fragment, which no browser sends anywhere.

const MARK = "s=";

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

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

// What a fragment holds, or null if it holds nothing that can be read.
export async function fromFragment(fragment) {
  if (!fragment.startsWith(MARK)) return null;
  try {
    const bytes = await through(new DecompressionStream("deflate-raw"), fromBase64(fragment.slice(MARK.length)));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    return state?.v === 1 && typeof state.text === "string" ? state : null;
  } catch {
    return null;
  }
}
