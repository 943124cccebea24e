// The constants of a text, each as a small field; a change is written into the text.
import { $, make } from "./dom.js";

const LINE = /^(\s*const\s+([\p{L}_][\p{L}\p{N}_'-]*)\s*=\s*)(-?\d+)\s*(?:\/\/.*)?$/u;

export function showConstants(editor) {
  const found = editor.text.split("\n").flatMap((text, i) => {
    const parts = LINE.exec(text);
    return parts ? [{ line: i + 1, name: parts[2], value: parts[3], from: parts[1].length }] : [];
  });
  const box = $("constants"), names = found.map((one) => one.name).join(" ");
  box.hidden = found.length === 0;
  if (box.dataset.names === names) {
    found.forEach((one, i) => {
      const field = box.querySelectorAll("input")[i];
      Object.assign(field, { constant: one });
      if (field.value !== one.value && document.activeElement !== field) field.value = one.value;
    });
    return;
  }
  box.dataset.names = names;
  box.replaceChildren(...found.map((one) => field(editor, one)));
}

function field(editor, one) {
  const input = make("input", { type: "number", value: one.value, step: 1 });
  input.constant = one;
  input.addEventListener("input", () => {
    const { line, from, value } = input.constant;
    if (!/^-?\d+$/.test(input.value) || input.value === value) return;
    editor.replace(line, from, from + value.length, input.value);
  });
  return make("label", {}, `${one.name} = `, input);
}
