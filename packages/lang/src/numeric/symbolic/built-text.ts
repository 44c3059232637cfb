import type MagicString from 'magic-string';
import { locOf, offsetOf, shown } from '../../source/place.js';
import type { Parsed } from '../../source/parse.js';

/** A text that was rewritten and given to the engine, which tells places in it when something is thrown. */
export interface BuiltText {
  readonly parsed: Parsed;
  readonly code: MagicString;
  /** What stands before the rewritten text in its first line. */
  readonly column: number;
}

/** Adds a text to those of one function: by the name that it gets here, its `sourceURL`, stacks call it. */
export const named = (texts: Map<string, BuiltText>, text: BuiltText): string => {
  const name = `${PREFIX}${made++}`;
  texts.set(name, text);
  return name;
};

const PREFIX = 'filigree-symbolic:';

let made = 0;

/** The innermost place of a stack that is in one of these texts, as its author wrote it. */
export const placeIn = (texts: ReadonlyMap<string, BuiltText>, stack: string): ReturnType<typeof shown> | undefined => {
  for (const [, name, line, column] of stack.matchAll(FRAME)) {
    const text = texts.get(name);
    if (text) return placeOf(text, Number(line) - 1 - LINES_BEFORE, Number(column) - 1);
  }
  return undefined;
};

const FRAME = new RegExp(`(${PREFIX}\\d+):(\\d+):(\\d+)`, 'g');

/* `new Function` puts its parameters in two lines before the body. */
const LINES_BEFORE = 2;

/** The place in the author's text of a line and column, both from 0, of what was made of it. */
const placeOf = ({ parsed, code, column }: BuiltText, line: number, at: number): ReturnType<typeof shown> => {
  const own = line === 0 ? at - column : at;
  const segments = code.generateDecodedMap({ hires: true }).mappings[line] ?? [];
  const segment = segments.findLast(([begin]) => begin <= own) ?? segments[0];
  const [, , originalLine = line, originalColumn = 0] = segment ?? [];
  const offset = offsetOf(parsed.text, { line: originalLine + 1, column: originalColumn + 1 });
  return shown(parsed.source, locOf(parsed.source, parsed.site(offset)));
};
