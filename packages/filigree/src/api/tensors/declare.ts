import { describeValue, fail, flatValues, option, type Nested, type OptionSpec } from '@filigree/ir';
import type { BooleanTensor } from '@filigree/sparse/eqspp';
import type { LayoutKind, TensorDecl } from '@filigree/tensor/einsum';

/** What is known of the tensors of a formula. */
export interface TensorFacts {
  /** Extents of tensors by name, and of indices by their letter: `{ I: [8, 56, 9], k: 56 }`. What follows from these may be left out. */
  readonly shapes?: Readonly<Record<string, readonly number[] | number>> | undefined;
  /** Which entries may be non-zero; absent: all. */
  readonly patterns?: Readonly<Record<string, BooleanTensor>> | undefined;
  /** Values that are known now, all entries, the first index fastest, or as lists of lists; their zeros are zeros of the pattern. */
  readonly values?: Readonly<Record<string, Nested<number>>> | undefined;
  readonly layouts?: Readonly<Record<string, LayoutKind>> | undefined;
}

/**
 * The tensors of a formula with their shapes, in order of first use. An extent that is not given follows from another tensor
 * with the same index. Errors: `einsum/unknown`, `einsum/shape` naming index and tensors, `einsum/extent`.
 *
 * The names must be those that tensors may have.
 */
export const declareTensors = (formula: string, facts: TensorFacts = {}): Readonly<Record<string, TensorDecl>> => {
  const uses = usesIn(formula);
  const names = [...new Set(uses.map((u) => u.name))];
  const { shapes = {}, patterns = {}, values = {}, layouts = {} } = facts;
  const letters = new Set(uses.flatMap((u) => [...u.indices]));
  for (const given of Object.keys({ ...shapes, ...patterns, ...values, ...layouts }))
    if (!names.includes(given) && !(letters.has(given) && typeof shapes[given] === 'number'))
      unknown(given, names, letters.has(given));
  const extents = extentsOf(uses, names, facts);
  return Object.fromEntries(
    names.map((name): [string, TensorDecl] => {
      const { indices } = uses.find((u) => u.name === name)!;
      const shape = [...indices].map(
        (l, d) =>
          extents.get(dimension(name, d))?.extent ??
          fail('einsum/extent', `the extent of index '${l}' of ${name} is not known`, {
            remedy: `give the shape of a tensor that has it, or the extent: ${l}=N`,
          }),
      );
      const listed = values[name];
      const known = listed && flatValues(name, 'notation/values', listed, shape, 'firstFastest');
      return [
        name,
        {
          name,
          shape,
          ...patternOf(patterns[name], known, shape),
          ...(known ? { values: Float64Array.from(known) } : {}),
          ...(layouts[name] ? { layout: layouts[name] } : {}),
        },
      ];
    }),
  );
};

const unknown = (given: string, names: readonly string[], isIndex: boolean): never =>
  isIndex
    ? fail('einsum/unknown', `'${given}' is an index of the formula, not a tensor`, {
        remedy: `all that is said of an index is its extent, one number: ${given}=8`,
      })
    : fail('einsum/unknown', `the formula has no tensor '${given}'`, { remedy: `its tensors are ${names.join(', ')}` });

/** The tensors of a formula, their extents not known yet. */
export const tensorsIn = (formula: string): Readonly<Record<string, TensorDecl>> =>
  Object.fromEntries(usesIn(formula).map(({ name, indices }) => [name, { name, shape: [...indices].map(() => 1) }]));

interface Use {
  readonly name: string;
  readonly indices: string;
  /** Indices of one assignment have nothing to do with those of another. */
  readonly assignment: number;
}

/* Whatever else is wrong with the text is for its parser to say. */
const usesIn = (formula: string): readonly Use[] =>
  formula.split(/[;\n]/).flatMap((text, assignment) =>
    [...text.matchAll(/([A-Za-z_]\w*\s*(?:\(\s*\d+(?:\s*,\s*\d+)*\s*\))?)\s*\[\s*([A-Za-z]*)\s*\]/g)].map((m) => ({
      name: m[1]!.replace(/\s+/g, ''),
      indices: m[2]!,
      assignment,
    })),
  );

interface Extent {
  readonly extent: number;
  /** Who says so. */
  readonly by: string;
}

const dimension = (tensor: string, d: number): string => `${tensor} ${d}`;

/** The extents of the dimensions of tensors, as far as they are given or follow. */
const extentsOf = (
  uses: readonly Use[],
  names: readonly string[],
  { shapes = {}, patterns = {} }: TensorFacts,
): ReadonlyMap<string, Extent> => {
  const known = new Map<string, Extent>();
  let grown = true;
  const say = (key: string, letter: string, found: Extent): void => {
    const before = known.get(key);
    if (before && before.extent !== found.extent)
      fail(
        'einsum/shape',
        `index '${letter}' runs to ${before.extent} by ${before.by} and to ${found.extent} by ${found.by}`,
        { remedy: 'an index has one extent in all tensors that have it' },
      );
    if (before) return;
    known.set(key, found);
    grown = true;
  };
  const ends = uses.flatMap(({ name, indices, assignment }) =>
    [...indices].map((letter, d) => ({ letter, index: `${assignment} ${letter}`, dimension: dimension(name, d) })),
  );
  for (const { letter, index } of ends) {
    const own = names.includes(letter) ? undefined : shapes[letter];
    if (typeof own === 'number') say(index, letter, { extent: own, by: 'its own extent' });
  }
  for (const { name, indices } of uses)
    for (const [shape, by] of [
      [shapes[name], `the shape of ${name}`],
      [patterns[name]?.shape, `the pattern of ${name}`],
    ] as const) {
      if (shape === undefined) continue;
      const list = typeof shape === 'number' ? [shape] : shape;
      if (!Array.isArray(list) && !ArrayBuffer.isView(list))
        fail('einsum/shape', `${by} is ${describeValue(shape)}`, { remedy: `give its extents, as in ${name}: [8, 9]` });
      if (list.length !== indices.length)
        fail('einsum/shape', `${by} has ${list.length} extents, ${name}[${indices}] has ${indices.length} indices`, {
          remedy: 'give one extent for each index',
        });
      [...indices].forEach((letter, d) => say(dimension(name, d), letter, { extent: list[d]!, by }));
    }
  while (grown) {
    grown = false;
    for (const { letter, index, dimension } of ends) {
      const [a, b] = [known.get(index), known.get(dimension)];
      if (b) say(index, letter, b);
      if (a) say(dimension, letter, a);
    }
  }
  return known;
};

/* Known values that are zero need no place; a pattern that was given holds. */
const patternOf = (
  given: BooleanTensor | undefined,
  values: ArrayLike<number> | undefined,
  shape: readonly number[],
): { pattern?: BooleanTensor } => {
  if (given) return { pattern: given };
  /* Too few or too many values are for the check of the notation to report. */
  if (!shape.every(Number.isSafeInteger) || values?.length !== shape.reduce((n, extent) => n * extent, 1)) return {};
  return { pattern: { shape, bits: Uint8Array.from(values, (x) => (x === 0 ? 0 : 1)) } };
};

export const factsSpec: OptionSpec<TensorFacts> = {
  shapes: option.record(option.anything),
  patterns: option.record(option.object('a pattern: { shape, bits }', 'shape', 'bits')),
  values: option.record(option.array('a list of numbers')),
  layouts: option.record(option.text),
};
