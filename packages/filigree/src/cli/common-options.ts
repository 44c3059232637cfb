import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Arithmetic, DEFAULT_ARITHMETIC } from '@filigree/ir';
import type { Ablation } from '../api/ablation.js';
import type { FieldAblation, GRAPH_PASSES } from '../api/field-ablation.js';

/** What `--ablate` takes, for help, which is shown without loading the compiler. */
export const ABLATION_NAMES: readonly Ablation[] = [
  'repetition',
  'local',
  'global',
  'tags',
  'blocks',
  'simplify',
  'order',
  'coherence',
  'narrow',
  'simd',
  'parallel',
  'roll',
];

/** What `--ablate` takes besides where an example has fields. */
export const FIELD_ABLATION_NAMES: readonly FieldAblation[] = [
  'simplify-access',
  'flatten-branches',
  'guard-multiples',
  'read-edges',
  'split-loops',
  'resolve-digits',
  'merge-accesses',
  'hoist-accesses',
  'forward-values',
  'fuse-stores',
  'own-words',
  'vectorize-bits',
  'privatize',
  'privatize-scatters',
  'integer-range',
  'uneven-loops',
  'vectorize',
  'distribute',
  'factor-scales',
  'superword',
  'group-iterations',
  'share-indices',
  'fuse-products',
  'optimize',
];

/** And where launches of an example may wait: passes on their graph. */
export const GRAPH_ABLATION_NAMES: typeof GRAPH_PASSES = ['demotion', 'list-removal', 'dead-stores', 'fusion'];

/** What is to be shown of passes. */
export interface WatchOptions {
  /** Names, or `all`. */
  readonly printBefore?: readonly string[];
  readonly printAfter?: readonly string[];
  readonly timePasses?: boolean;
}

/** What every command takes, also one for which some of it means nothing: whoever drives them gives the same to all. */
export interface CommonOptions extends WatchOptions {
  readonly json?: boolean;
  readonly use?: readonly string[];
  readonly backend?: string;
  readonly fallback?: string;
  readonly dtype: 'f32' | 'f64';
  readonly threads: number;
  readonly emit?: string;
  readonly seed: number;
  readonly cache: boolean;
}

/** Adds the options that every command takes. */
export const withCommonOptions = (command: Command): Command =>
  command
    .option('--json', 'one JSON document on stdout')
    .option(
      '--backend <name>',
      'one that `filigree devices` lists, or a module ./file.mjs that exports one; default: cpp where a C++ compiler is found, else wasm',
    )
    .option('--fallback <name>', 'the one to take where --backend does not work here; by default that is an error')
    .addOption(new Option('--dtype <type>', 'scalar type').choices(['f32', 'f64']).default('f64'))
    .option('--threads <n>', 'threads of a run', wholeNumber(1), 1)
    .option('--emit <folder>', 'write the generated sources here')
    .option('--seed <n>', 'seed of random values', wholeNumber(0), 1)
    .option('--no-cache', 'compile anew, keep nothing')
    .option(
      '--use <extension>',
      'a package, or a module ./file.mjs, that brings ops, passes, words or backends; may be given again',
      also,
    )
    .option('--print-before <pass>', 'print what this pass takes, or `all`; with --emit into FOLDER/passes', also)
    .option('--print-after <pass>', 'the same of what it leaves; both may be given again', also)
    .option('--time-passes', 'print how long each pass took, without those inside of it');

const also = (name: string, before: readonly string[] = []): readonly string[] => [...before, name];

/** `--ablate`, with names that there are. */
export const ablateOption = (names: readonly string[]): Option =>
  new Option('--ablate <list>', `switch stages off: ${names.join(',')}`).argParser((list: string) => {
    const wrong = list
      .split(',')
      .map((name) => name.trim())
      .find((name) => name !== '' && !names.includes(name));
    if (wrong !== undefined)
      throw new InvalidArgumentError(`There is nothing to switch off under the name '${wrong}'.`);
    return list;
  });

/* As above, the types alone. */
const LEVELS: readonly Arithmetic[] = ['exact', 'range-keeping', 'algebraic'];
const LEVEL: typeof DEFAULT_ARITHMETIC = 'exact';

/** For commands that compile traced programs. */
export const arithmeticOption = (): Option =>
  new Option(
    '--arithmetic <level>',
    `how close results stay to plain numbers: bit for bit, up to rounding, or as real numbers (default: ${LEVEL})`,
  ).choices(LEVELS);

/** For commands that read values from files. */
export const complexOption = (): Option =>
  new Option('--complex <part>', 'what to take of complex values').choices(['real', 'imag', 'abs']);

/** A parser of whole numbers from `least`, for options. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const n = Number(text);
    if (text.trim() === '' || !Number.isSafeInteger(n) || n < least)
      throw new InvalidArgumentError(`It is not a whole number from ${least}.`);
    return n;
  };

/** `NAME=VALUE` options, each name once. */
export const keyValue = (
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => {
  const m = /^([^=]+)=(.+)$/s.exec(text);
  if (!m) throw new InvalidArgumentError('It is not of the form NAME=VALUE.');
  if (Object.hasOwn(before, m[1])) throw new InvalidArgumentError(`${m[1]} is given twice.`);
  return { ...before, [m[1]]: m[2] };
};
