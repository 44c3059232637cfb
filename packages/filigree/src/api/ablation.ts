import { fail } from '@filigree/ir';
import { mergeOverrides, type OptionOverrides } from './options.js';

/** What `--ablate` can switch off, by name: the columns of an ablation table (paper §5.9). */
export const ABLATIONS = {
  /** Finding what loops repeat while the program is traced. */
  repetition: { repetition: false },
  /** Evaluating once what repeats within a kernel. */
  local: { decompose: { local: false } },
  /** Storing expressions that several outputs share. */
  global: { decompose: { global: false } },
  /** Blocks tagged in the program. */
  tags: { decompose: { tags: false } },
  /** Dense blocks found without tags. */
  blocks: { decompose: { detectBlocks: false } },
  /** Rewriting of the expressions within kernels. */
  simplify: { simplify: false },
  /** Another order of instances than the program's. */
  order: { order: { reorder: false } },
  /** Affine index columns and offsets between columns. */
  coherence: { place: { coherence: false } },
  /** Index columns of 8 and 16 bits. */
  narrow: { place: { narrow: false } },
  /** Vector lanes. */
  simd: { emit: { simd: false } },
  /** Threads. */
  parallel: { emit: { parallel: false } },
  /** Loops over the terms of long and rare sums. */
  roll: { group: { maxUnrolledTerms: Infinity, minUnrolledInstances: 0, mostGroups: Infinity } },
} as const satisfies Readonly<Record<string, OptionOverrides>>;

/** A stage of specialisation that can be switched off. */
export type Ablation = keyof typeof ABLATIONS;

const STAGES = Object.keys(ABLATIONS) as readonly Ablation[];

/** A list such as `global,simd` as names, of those in `ABLATIONS` unless others are given. Throws `DiagnosticError` `ablate/unknown`. */
export const parseAblation = <N extends string = Ablation>(
  list: string,
  known: readonly N[] = STAGES as readonly string[] as readonly N[],
): readonly N[] =>
  (typeof list === 'string' ? list : unnamed(known))
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map(
      (name) =>
        known.find((k) => k === name) ??
        fail('ablate/unknown', `there is nothing to switch off under the name '${name}'`, {
          remedy: `use some of ${known.join(', ')}`,
        }),
    );

/** The names of a list, of those that are known. Throws `DiagnosticError` `ablate/unknown`. */
export const namesToAblate = <N extends string>(names: readonly string[], known: readonly N[]): readonly N[] =>
  Array.isArray(names) ? names.flatMap((name: string) => parseAblation(name, known)) : unnamed(known);

/** Overrides that switch these stages off, for measuring what they are worth. Throws `DiagnosticError` `ablate/unknown`. */
export const ablate = (names: readonly string[]): OptionOverrides =>
  mergeOverrides(...namesToAblate(names, STAGES).map((name): OptionOverrides => ABLATIONS[name]));

const unnamed = (known: readonly string[]): never =>
  fail('ablate/unknown', 'what is to be switched off is not named', { remedy: `list some of ${known.join(', ')}` });
