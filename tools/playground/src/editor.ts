import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import type { Problem } from './messages.js';

/** The text that is written. */
export interface Editor {
  readonly text: () => string;
  readonly write: (text: string) => void;
  /** Marks what is wrong where it is wrong. */
  readonly mark: (problems: readonly Problem[]) => void;
}

/* Colours that are legible on light and dark ground alike: those of the page. */
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'light-dark(#7a3e9d, #c792ea)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'light-dark(#2c6e2f, #a5d6a7)' },
  { tag: tags.number, color: 'light-dark(#a1501a, #ffcb8b)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.className], color: 'light-dark(#0b6e63, #5cc9b8)' },
  { tag: tags.function(tags.variableName), color: 'light-dark(#1d5ea8, #82aaff)' },
]);

const look = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'light-dark(#00000008, #ffffff0a)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#0b6e6330, #5cc9b830) !important',
  },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)' },
});

/** An editor in an element. @param run called by Ctrl+Enter @param changed called when the text was changed */
export const editorIn = (parent: HTMLElement, run: () => void, changed: () => void): Editor => {
  const view = new EditorView({
    parent,
    extensions: [
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (run(), true) }])),
      basicSetup,
      javascript({ typescript: true }),
      syntaxHighlighting(colours),
      lintGutter(),
      look,
      EditorView.contentAttributes.of({ 'aria-label': 'Program' }),
      EditorView.updateListener.of((update) => update.docChanged && changed()),
    ],
  });
  return {
    text: () => view.state.doc.toString(),
    write: (text) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
      view.scrollDOM.scrollTop = 0;
    },
    mark: (problems) => {
      const marks = problems.flatMap((p) => markOf(view.state, p));
      view.dispatch(setDiagnostics(view.state, marks));
      if (marks[0]) view.dispatch({ effects: EditorView.scrollIntoView(marks[0].from, { y: 'center' }) });
    },
  };
};

const markOf = ({ doc }: EditorState, { line, column = 1, message, severity }: Problem): readonly Diagnostic[] => {
  if (line === undefined || line > doc.lines) return [];
  const at = doc.line(line);
  const from = Math.min(at.from + column - 1, at.to);
  const word = /^[\w$]+|^[^\w\s$]+/.exec(doc.sliceString(from, at.to))?.[0].length ?? 0;
  return [{ from, to: Math.min(from + Math.max(word, 1), at.to), severity, message }];
};

/** A text to be read. */
export const readerIn = (parent: HTMLElement): ((text: string, ofScript: boolean) => void) => {
  const stateOf = (doc: string, ofScript: boolean): EditorState =>
    EditorState.create({
      doc,
      extensions: [
        EditorState.readOnly.of(true),
        basicSetup,
        ofScript ? javascript() : [],
        syntaxHighlighting(colours),
        look,
        EditorView.contentAttributes.of({ 'aria-label': 'Generated code' }),
      ],
    });
  const view = new EditorView({ parent, state: stateOf('', false) });
  return (text, ofScript) => view.setState(stateOf(text, ofScript));
};
