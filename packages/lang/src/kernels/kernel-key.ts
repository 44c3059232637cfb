import { keyText } from '@filigree/ir';
import { isField, type AnyField, type Layout } from '@filigree/sparse/fields';
import { keptOf } from '../source/kept.js';
import { filesFrom, shortPath } from '../source/spelling/files.js';
import { wordOf } from './elaborate/names.js';
import { printedText } from './elaborate/unit.js';
import type { KernelDef } from './kernel.js';
import { inlinedScope } from './vocabulary/inline.js';
import { isMat, isVec, shapedOf } from './vocabulary/vec.js';
import { gradientOfFunction } from './vocabulary/with-gradient.js';

/** What a kernel is compiled from. */
export interface KernelKey {
  /** Equal texts are equal kernels, and so is what is said of them. */
  readonly text: string;
  /** The files that functions of the kernel stand in, as messages name them; what they say is in the text. */
  readonly files: readonly string[];
  /** Whether numerals are read as their author wrote them: else what a kernel is compiled from cannot be told, and is not to be kept. */
  readonly isSure: () => boolean;
}

/**
 * All that a kernel is compiled from as text: what its function says and the files in which its author's spelling is found, what the names in it
 * mean, the functions that it may call and what their names mean, its arguments and hints; but for the layout, of which it names fields. Nothing
 * where that cannot be told: where there are values in scope that no text tells apart. The spelling itself, which takes much longer to find, is not
 * looked for.
 */
export const kernelKey = (def: KernelDef, layout: Layout): KernelKey | undefined => {
  const { fn, scope, args, at, is: _, ...hints } = def;
  const seen = new Map<object, number>();
  const sources = new Map<string, string>();
  const searched = new Map<string, string>();
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
    const { text, settled, spelled, at: place, files, line } = printedText(f, { at: given, near });
    for (const { path, text: all } of filesFrom(files, false)) sources.set(shortPath(path), all);
    if (settled) {
      if (!spelled().sure) return nothing();
    } else {
      for (const { path, text: all } of filesFrom(files)) searched.set(shortPath(path), all);
      unsettled.push(() => spelled().sure);
    }
    /* What a function has beside its text, kernels can read. */
    if (NATIVE.test(text) || Object.keys(f).length > 0) return nothing();
    const names = { ...keptOf(f)?.scope, ...own };
    const known = {
      name: f.name,
      text,
      place,
      line: settled ? undefined : line,
      own: own !== undefined,
      names,
      gradient: gradientOfFunction(f),
    };
    return keyText(known, told(files)) ?? nothing();
  };
  const key = [
    functionKey(fn as AnyFunction, scope, [], at),
    keyText(args, told([])),
    keyText(hints),
    keyText(sources),
    keyText(searched),
  ];
  if (untold || key.includes(undefined)) return undefined;
  return { text: key.join('\n'), files: [...sources.keys()], isSure: () => unsettled.every((sure) => sure()) };
};

type AnyFunction = (...args: never[]) => unknown;

const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;

/** Whether it is the field of its name in the layout, and not another one. */
const isPlaced = (field: AnyField, { fields }: Layout): boolean =>
  (field.is === 'scalar' ? [field] : field.components).every((f) => fields.get(f.name)?.field === f);
