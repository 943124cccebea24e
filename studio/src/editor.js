// The editor: CodeMirror with the .storm language, problems underlined, names completed.
import { EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, insertNewlineAndIndent, toggleComment } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import {
  autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, selectedCompletion,
} from "@codemirror/autocomplete";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { classHighlighter } from "@lezer/highlight";
import { complete, storm } from "./storm_language.js";

// The line of the text that acts in the run that is played.
const act = StateEffect.define();
const ACTING = Decoration.line({ class: "cm-acting" });
const acting = StateField.define({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(act)) return effect.value === null ? Decoration.none : Decoration.set([ACTING.range(effect.value)]);
    }
    return shown.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function makeEditor(parent, nonce, { changed, system, keys }) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorView.cspNonce.of(nonce),
        acting, lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), foldGutter(), drawSelection(),
        indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), highlightSelectionMatches(),
        storm, syntaxHighlighting(classHighlighter), lintGutter(), EditorView.lineWrapping,
        Prec.highest(keymap.of([{ key: "Enter", run: endLine }])),
        autocompletion({ override: [complete(system)] }),
        EditorView.contentAttributes.of({ "aria-label": "protocol text", spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          if (update.transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete"))) written = Date.now();
          changed();
        }),
        keymap.of([
          ...keys, { key: "Mod-/", run: toggleComment }, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap,
          ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap,
        ]),
      ],
    }),
  });

  let underlined = [], marked = [], written = 0;
  const draw = () => view.dispatch(setDiagnostics(view.state, [...underlined, ...marked].map((entry) => diagnostic(view.state.doc, entry))));

  return {
    view,
    get text() { return view.state.doc.toString(); },
    // Only what differs is replaced, so that the cursor and the scroll position stay.
    set text(text) {
      const old = view.state.doc.toString();
      if (old === text) return;
      let from = 0, end = old.length, last = text.length;
      while (from < end && from < last && old[from] === text[from]) from++;
      while (end > from && last > from && old[end - 1] === text[last - 1]) { end--; last--; }
      view.dispatch({ changes: { from, to: end, insert: text.slice(from, last) } });
    },
    underline(problems) {
      underlined = problems;
      draw();
    },
    // Beside the problems, until the next call.
    mark(rows) {
      if (rows.length === 0 && marked.length === 0) return;
      marked = rows;
      draw();
    },
    // Which line is written at the moment; null where nobody writes.
    get line() { return view.hasFocus ? view.state.doc.lineAt(view.state.selection.main.head).number : null; },
    // Was something typed within so many milliseconds?
    justWritten: (within) => Date.now() - written < within,
    // Light the line that acts, and bring it into sight; null lights none.
    act(line) {
      const known = line !== null && line <= view.state.doc.lines;
      const from = known ? view.state.doc.line(line).from : null;
      view.dispatch({ effects: known ? [act.of(from), EditorView.scrollIntoView(from, { y: "nearest", yMargin: 40 })] : act.of(null) });
    },
    // Replace some characters of a line.
    replace(line, from, to, insert) {
      const start = view.state.doc.line(line).from;
      view.dispatch({ changes: { from: start + from, to: start + to, insert } });
    },
    goTo(problem) {
      const { from } = diagnostic(view.state.doc, problem);
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    },
  };
}

// Where the name that is proposed is written already, Enter is meant for the line.
function endLine(view) {
  const proposed = selectedCompletion(view.state)?.label, { head } = view.state.selection.main;
  if (!proposed || view.state.sliceDoc(Math.max(0, head - proposed.length), head) !== proposed) return false;
  closeCompletion(view);
  return insertNewlineAndIndent(view);
}

// Columns count characters, the editor counts UTF-16 units.
function diagnostic(doc, { line, column, width, severity, message, hint }) {
  const row = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines));
  const letters = [...row.text];
  const units = (count) => letters.slice(0, Math.max(count, 0)).join("").length;
  const from = row.from + units((column ?? 1) - 1);
  const to = Math.max(row.from + units((column ?? 1) - 1 + (width ?? 1)), from);
  return { from, to: Math.min(to === from ? from + 1 : to, Math.max(row.to, from)), severity, message: hint ? `${message}: ${hint}` : message };
}
