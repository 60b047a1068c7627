/** The code editor, and the only file that knows CodeMirror. Loaded when a student first wants to type. */

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit } from "@codemirror/language";
import { syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { EditorState, Prec, RangeSetBuilder } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers, ViewPlugin } from "@codemirror/view";
import { highlightCode, tags } from "@lezer/highlight";

/**
 * @typedef {object} EditorOptions
 * @property {string} doc
 * @property {string} label                         its accessible name
 * @property {string} describedBy                   id of the text that tells the keys
 * @property {ReadonlyMap<string, string>} symbols  identifier → class that colours it
 * @property {(doc: string) => void} onChange
 * @property {(advance: boolean) => void} onRun
 */

/** The class names of the static code, so that one stylesheet colours both (see highlight.py). */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null], class: "k" },
  { tag: [tags.string, tags.special(tags.string)], class: "s" },
  { tag: tags.number, class: "n" },
  { tag: tags.comment, class: "c" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className), tags.meta], class: "f" },
]);

/** Built-in functions and exceptions, which Python's grammar does not tell from other names. */
const BUILTINS = new Set(
  (
    "abs all any bin bool bytes callable chr classmethod complex dict dir divmod enumerate eval exec " +
    "filter float format frozenset getattr hasattr hash help hex id input int isinstance issubclass iter " +
    "len list locals map max min next object oct open ord pow print property range repr reversed round " +
    "set setattr slice sorted staticmethod str sum super tuple type vars zip"
  ).split(" "),
);
const EXCEPTION = /^[A-Z]\w*(?:Error|Exception|Warning)$/;

/** @param {string} name */
function isBuiltin(name) {
  return BUILTINS.has(name) || EXCEPTION.test(name);
}

/** Code that is only read, coloured as in the editor. @returns {Node[]} @param {string} source @param {ReadonlyMap<string, string>} symbols */
export function highlighted(source, symbols) {
  /** @type {Node[]} */
  const parts = [];
  const put = (/** @type {string} */ text, /** @type {string} */ classes) => {
    const span = document.createElement("span");
    span.className = classes;
    span.textContent = text;
    parts.push(classes ? span : document.createTextNode(text));
  };
  const names = (/** @type {string} */ text) => {
    const pieces = text.split(/\b([A-Za-z_]\w*)\b/);
    for (const [i, piece] of pieces.entries()) {
      const builtin = isBuiltin(piece) && !pieces[i - 1]?.endsWith("."); // x.max is no built-in
      put(piece, symbols.get(piece) ?? (builtin ? "b" : ""));
    }
  };
  const putText = (/** @type {string} */ text, /** @type {string} */ classes) => (classes ? put(text, classes) : names(text));
  highlightCode(source, pythonLanguage.parser.parse(source), HIGHLIGHT, putText, () => put("\n", ""));
  return parts;
}

/**
 * CodeMirror's own styles are unlayered and win over the site's layers, so what must equal the static code stands
 * here, in the same tokens.
 */
const THEME = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "inherit" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontSize: "var(--code-size)", lineHeight: "var(--leading-code)" },
  ".cm-content": { padding: "var(--code-pad) 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--s4) 0 0" },
  ".cm-gutters": { backgroundColor: "var(--paper-sunk)", color: "var(--ink-faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "0", width: "var(--gutter)", padding: "0 var(--gutter-gap) 0 0" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-wash)", outline: "1px solid var(--rule-strong)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-wash)" },
});

/** @param {ReadonlyMap<string, string>} symbols */
function notation(symbols) {
  /** @param {EditorView} view */
  const decorate = (view) => {
    /** @type {RangeSetBuilder<Decoration>} */
    const builder = new RangeSetBuilder();
    for (const { from, to } of view.visibleRanges) {
      syntaxTree(view.state).iterate({
        from,
        to,
        enter(node) {
          if (node.name !== "VariableName" && node.name !== "PropertyName") return;
          const text = view.state.sliceDoc(node.from, node.to);
          const name = symbols.get(text) ?? (node.name === "VariableName" && isBuiltin(text) ? "b" : undefined);
          if (name) builder.add(node.from, node.to, Decoration.mark({ class: name }));
        },
      });
    }
    return builder.finish();
  };
  return ViewPlugin.define(
    (view) => ({
      marks: decorate(view),
      /** @param {import("@codemirror/view").ViewUpdate} update */
      update(update) {
        const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (update.docChanged || update.viewportChanged || parsed) this.marks = decorate(update.view);
      },
    }),
    { decorations: (plugin) => plugin.marks },
  );
}

export class Editor {
  #view;
  /** Reached by Tab alone: Tab goes on until the student shows that they want to type. */
  #passing = false;

  /** @param {HTMLElement} parent @param {EditorOptions} options */
  constructor(parent, { doc, label, describedBy, symbols, onChange, onRun }) {
    const act = (/** @type {() => void} */ action) => () => {
      action();
      return true;
    };
    const keys = [
      { key: "Shift-Enter", run: act(() => onRun(true)) },
      { key: "Mod-Enter", run: act(() => onRun(false)) },
      { key: "Ctrl-Enter", run: act(() => onRun(false)) },
      { key: "Enter", run: () => this.#settleIn() },
    ];
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc,
        extensions: [
          Prec.highest(keymap.of(keys)),
          lineNumbers(),
          history(),
          indentUnit.of("    "),
          EditorState.tabSize.of(4),
          pythonLanguage,
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          syntaxHighlighting(HIGHLIGHT),
          notation(symbols),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({
            "aria-label": label,
            "aria-describedby": describedBy,
            autocapitalize: "off",
            tabindex: "0", // editable is focusable anyway, but accessibility checkers look for this
            autocorrect: "off",
            spellcheck: "false",
          }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            this.#settleIn();
            onChange(this.source);
          }),
          EditorView.domEventHandlers({ pointerdown: () => void this.#settleIn() }),
          THEME,
        ],
      }),
    });
  }

  get source() {
    return this.#view.state.doc.toString();
  }

  /** Replaces the whole text as one step that Undo takes back. @param {string} source */
  replace(source) {
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: source },
      userEvent: "input.replace",
    });
  }

  /** @param {number} offset  where the caret goes */
  select(offset) {
    const anchor = Math.min(Math.max(offset, 0), this.#view.state.doc.length);
    this.#view.dispatch({ selection: { anchor } });
  }

  /** The horizontal scroll, to be taken over from the static code. @param {number} left */
  scrollTo(left) {
    this.#view.scrollDOM.scrollLeft = left;
  }

  /** @param {{passing?: boolean}} [how]  `passing`: Tab still leaves, until Enter, a click or typing */
  focus({ passing = false } = {}) {
    this.#passing = passing;
    this.#view.setTabFocusMode(passing);
    this.#view.focus();
  }

  /** @returns {boolean} whether this ended the passing through; Enter is then used up */
  #settleIn() {
    if (!this.#passing) return false;
    this.#passing = false;
    this.#view.setTabFocusMode(false);
    return true;
  }
}
