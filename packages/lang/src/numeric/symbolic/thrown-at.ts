import { codeFrame, DiagnosticError } from '@filigree/ir';
import type { shown } from '../../source/place.js';
import { allFrames, fileAt, isInstalled, mapped, shortPath, type Frame } from '../../source/spelling/files.js';
import { modules } from '../ops/modules.js';
import { placeIn, type BuiltText } from './built-text.js';
import type { AnyFunction } from './captured.js';

type Place = ReturnType<typeof shown>;

/** Of functions that `symbolic` made, their texts, by what stacks call them. */
const texts = new WeakMap<AnyFunction, ReadonlyMap<string, BuiltText>>();

/** Remembers what a function was made of. */
export const noteTexts = (fn: AnyFunction, of: ReadonlyMap<string, BuiltText>): void => void texts.set(fn, of);

/**
 * Where in the text of its author a function that `symbolic` made, or one that it uses, was when this was thrown; of one that the build plugin has rewritten
 * where in its module, by the source map if there is one. Undefined if the stack does not say.
 */
export const thrownAt = (fn: AnyFunction, thrown: unknown): Place | undefined => {
  if (!(thrown instanceof Error)) return undefined;
  const own = texts.get(fn);
  return own ? placeIn(own, thrown.stack ?? '') : placeInModule(thrown);
};

const placeInModule = (thrown: Error): Place | undefined => {
  const frames = allFrames(thrown.stack ?? '');
  const rewritten = new Set(modules.map(({ stack = '' }) => allFrames(stack)[0]?.path));
  const inModules = frames.filter((f) => rewritten.has(f.path));
  /* Where all is in one file, only its source map tells what of it is installed. */
  const isOneFile = inModules[0] === frames[0] && thrown instanceof DiagnosticError;
  const places = inModules
    .map((f) => [f, mapped(f)] as const)
    .filter(([f, m]) => !isInstalled(m) && !(isOneFile && f === m));
  return places.length > 0 ? placeOf(places[0][1]) : undefined;
};

const placeOf = ({ path, line, column }: Frame): Place => {
  const loc = { file: shortPath(path), line, column };
  const text = fileAt(path)?.text;
  return { loc, ...(text !== undefined && { frame: codeFrame(text, loc) }) };
};
