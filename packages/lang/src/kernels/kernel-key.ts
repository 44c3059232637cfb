import { keyText } from '@filigree/ir';
import { isField, type AnyField, type Layout } from '@filigree/sparse/fields';
import { stemsOf } from '../source/author-name.js';
import { keptOf } from '../source/kept.js';
import { filesFrom, shortPath } from '../source/spelling/files.js';
import { wordOf } from './elaborate/terms/names.js';
import { printedText } from './elaborate/context/unit.js';
import type { KernelDef } from './kernel.js';
import { inlinedScope } from './vocabulary/inline.js';
import { isMat, isVec, shapedOf } from './vocabulary/vec.js';
import { gradientOfFunction } from './vocabulary/with-gradient.js';

/** What a kernel is compiled from. */
export interface KernelKey {
  /** Equal texts, beside equal contents of files, are equal kernels, and so is what is said of them. */
  readonly text: string;
  /** What the files say that the kernel may depend on, by path: kernels of one program share most of them. */
  readonly contents: ReadonlyMap<string, string>;
  /** The files that functions of the kernel stand in, as messages name them. */
  readonly files: readonly string[];
  /**
   * Whether its functions are found where they stand, in files that the key tells, be they the author's or what a tool printed: else what a kernel is compiled
   * from cannot be told, and is not to be kept.
   */
  readonly isSure: () => boolean;
}

/**
 * All that a kernel is compiled from as text: what its function says and the files in which its author's spelling is found, what the names in it
 * mean, the functions that it may call and what their names mean, its arguments and hints; but for the layout, of which it names fields. Nothing
 * where that cannot be told: where there are values in scope that no text tells apart. The spelling itself, which takes much longer to find, is not
 * looked for.
 *
 * @param known files that were found for other kernels of the program
 */
export const kernelKey = (def: KernelDef, layout: Layout, known: KnownFiles = new Map()): KernelKey | undefined => {
  const { fn, scope, args, at, is: _, ...hints } = def;
  const seen = new Map<object, number>();
  const sources = new Set<string>();
  const searched = new Set<string>();
  const contents = new Map<string, string>();
  const take = (into: Set<string>, files: readonly string[], imported: boolean): void => {
    const key = JSON.stringify([files, imported]);
    const all =
      known.get(key) ?? [...filesFrom(files, imported)].map(({ path, text }) => [shortPath(path), text] as const);
    known.set(key, all);
    for (const [path, text] of all) {
      into.add(path);
      contents.set(path, text);
    }
  };
  const unsettled: (() => boolean)[] = [];
  let untold = false;
  const nothing = (): string => {
    untold = true;
    return '';
  };
  const told =
    (near: readonly string[]) =>
    (value: object): string | undefined => {
      const word = wordOf(value);
      if (word !== undefined) return `word ${word}`;
      if (isVec(value) || isMat(value)) return `shaped ${keyText(shapedOf(value)) ?? nothing()}`;
      if (isField(value)) return isPlaced(value, layout) ? `field ${JSON.stringify(value.name)}` : nothing();
      return typeof value === 'function' ? functionKey(value as AnyFunction, inlinedScope(value), near) : undefined;
    };
  const functionKey = (
    f: AnyFunction,
    own: KernelDef['scope'] | undefined,
    near: readonly string[],
    given?: KernelDef['at'],
  ): string => {
    const before = seen.get(f);
    if (before !== undefined) return `function ${before}`;
    seen.set(f, seen.size);
    const printed = printedText(f, { at: given, near });
    const { text, spelled, at: place, files, line } = printed;
    const scopes = { ...keptOf(f)?.scope, ...own };
    const settled = printed.settled && (keptOf(f) !== undefined || !isNumberedIn(text, scopes));
    take(sources, files, false);
    if (settled) {
      if (!spelled().found) return nothing();
    } else {
      take(searched, files, true);
      unsettled.push(() => spelled().found);
    }
    /* What a function has beside its text, kernels can read. */
    if (NATIVE.test(text) || Object.keys(f).length > 0) return nothing();
    const names = meant(f, scopes, text);
    const parts = {
      name: f.name,
      text,
      called: keptOf(f)?.names,
      place,
      line: settled ? undefined : line,
      own: own !== undefined,
      names,
      gradient: gradientOfFunction(f),
    };
    return keyText(parts, told(files)) ?? nothing();
  };
  const key = [
    functionKey(fn as AnyFunction, scope, [], at),
    keyText(args, told([])),
    keyText(hints),
    keyText(sources),
    keyText(searched),
  ];
  if (untold || key.includes(undefined)) return undefined;
  return { text: key.join('\n'), contents, files: [...sources], isSure: () => unsettled.every((found) => found()) };
};

/** Files by where they were looked for: path and text of each. */
export type KnownFiles = Map<string, readonly (readonly [path: string, text: string])[]>;

type AnyFunction = (...args: never[]) => unknown;

/**
 * Of the names in a function's scope those that its text has, or that of a function that it may call: scopes are handed over whole, and may hold what a
 * program is set up from.
 */
const meant = (
  fn: AnyFunction,
  scope: Readonly<Record<string, unknown>>,
  text: string,
): Readonly<Record<string, unknown>> => {
  const words = new Set<string>();
  const seen = new Set<unknown>([fn]);
  const read = (said: string): void => {
    /* An escape may spell any name. */
    if (said.includes('\\u')) Object.keys(scope).forEach((name) => words.add(name));
    for (const [word] of said.matchAll(WORD)) for (const name of [word, ...stemsOf(word)]) words.add(name);
  };
  const look = (value: unknown): void => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return;
    seen.add(value);
    if (typeof value === 'function') {
      const kept = keptOf(value as AnyFunction);
      read(kept?.text ?? Function.prototype.toString.call(value));
      Object.values({ ...kept?.scope, ...inlinedScope(value) }).forEach(look);
      look(gradientOfFunction(value as AnyFunction));
    } else if (!ArrayBuffer.isView(value)) Object.values(value).forEach(look);
  };
  read(text);
  look(gradientOfFunction(fn));
  const names = new Set<string>();
  for (let before = -1; before < names.size;) {
    before = names.size;
    for (const [name, value] of Object.entries(scope))
      if (words.has(name) && !names.has(name)) {
        names.add(name);
        look(value);
      }
  }
  return Object.fromEntries(Object.entries(scope).filter(([name]) => names.has(name)));
};

/** Whether a text may have names of a scope with a number at their end, so that what they mean stands in its file. */
const isNumberedIn = (text: string, scope: Readonly<Record<string, unknown>>): boolean =>
  Array.from(text.matchAll(WORD)).some(([word]) => stemsOf(word).some((stem) => Object.hasOwn(scope, stem)));

const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu;

const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;

/** Whether it is the field of its name in the layout, and not another one. */
const isPlaced = (field: AnyField, { fields }: Layout): boolean =>
  (field.is === 'scalar' ? [field] : field.components).every((f) => fields.get(f.name)?.field === f);
