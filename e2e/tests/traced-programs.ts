import fc from 'fast-check';

/** The arithmetic that a random program is written in: on symbols, on numbers of f64 or f32, on numbers with error bounds. */
export interface Arithmetics<T> {
  readonly number: (value: number) => T;
  readonly apply: (name: OpName, a: T, b: T) => T;
  readonly select: (name: Comparison, a: T, b: T, then: T, otherwise: T) => T;
}

const unary = ['neg', 'sqrt', 'abs', 'floor', 'ceil', 'round', 'trunc', 'sign'] as const;
const binary = ['add', 'sub', 'mul', 'div', 'min', 'max', 'rem'] as const;
const target = ['exp', 'log', 'sin', 'atan2', 'hypot', 'pow'] as const;
const comparisons = ['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as const;

/** Operations that round correctly everywhere, and those whose last digit is the target's. */
export type OpName = (typeof unary)[number] | (typeof binary)[number] | (typeof target)[number];
export type Comparison = (typeof comparisons)[number];

export const isUnary = (name: OpName): boolean =>
  (unary as readonly string[]).includes(name) || ['exp', 'log', 'sin'].includes(name);

/** One operation of a body; operands are chosen among all values so far. */
type Step =
  | { readonly is: 'op'; readonly name: OpName; readonly a: number; readonly b: number }
  | {
      readonly is: 'constant';
      readonly name: OpName;
      readonly a: number;
      readonly value: number;
      readonly left: boolean;
    }
  | { readonly is: 'select'; readonly name: Comparison; readonly of: readonly [number, number, number, number] };

/** What a program does one after the other, each to the values that the one before made. */
type Stage =
  /** The same straight line of operations for each of `size` instances, which read `leaves` values each. */
  | {
      readonly is: 'map';
      readonly size: number;
      readonly leaves: number;
      readonly stride: number;
      readonly keep: number;
      readonly steps: readonly Step[];
    }
  /** Values added up, a few to each of `bins` sums, as the elements of a mesh are at its vertices. */
  | {
      readonly is: 'scatter';
      readonly bins: number;
      readonly spread: number;
      readonly op: 'add' | 'sub' | 'both' | 'max' | 'mul';
      readonly start: 'first' | 'zero' | 'last';
    }
  /** All values as one, from the left, from the right, or pairwise; the others stay. */
  | { readonly is: 'total'; readonly op: 'add' | 'max' | 'mul'; readonly from: 'left' | 'right' | 'pairs' };

/** A program on `length` numbers. */
export interface RandomProgram {
  readonly length: number;
  readonly stages: readonly Stage[];
}

const steps = (names: readonly OpName[], constants: fc.Arbitrary<number>): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          is: fc.constant('op' as const),
          name: fc.constantFrom(...names),
          a: fc.nat(99),
          b: fc.nat(99),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          is: fc.constant('constant' as const),
          name: fc.constantFrom<OpName>('add', 'sub', 'mul', 'div', 'max'),
          a: fc.nat(99),
          value: constants,
          left: fc.boolean(),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          is: fc.constant('select' as const),
          name: fc.constantFrom(...comparisons),
          of: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99), fc.nat(99)),
        }),
      },
    ),
    { minLength: 1, maxLength: 14 },
  );

/** Random programs; `functions` draws the operations whose last digit is the target's as well. */
export const randomPrograms = (functions: boolean, constants: fc.Arbitrary<number>): fc.Arbitrary<RandomProgram> => {
  /* Sums and products are what there is most to go wrong with. */
  const names: readonly OpName[] = [
    ...['add', 'sub', 'mul', 'div', 'add', 'sub', 'mul'].map((n) => n as OpName),
    ...unary,
    ...binary,
    ...(functions ? target : []),
  ];
  const stage: fc.Arbitrary<Stage> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        is: fc.constant('map' as const),
        size: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(64, 90)),
        leaves: fc.integer({ min: 1, max: 4 }),
        stride: fc.integer({ min: 1, max: 7 }),
        keep: fc.integer({ min: 1, max: 3 }),
        steps: steps(names, constants),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        is: fc.constant('scatter' as const),
        bins: fc.integer({ min: 1, max: 40 }),
        spread: fc.integer({ min: 1, max: 11 }),
        op: fc.constantFrom(
          'add' as const,
          'add' as const,
          'both' as const,
          'sub' as const,
          'max' as const,
          'mul' as const,
        ),
        start: fc.constantFrom('first' as const, 'zero' as const, 'last' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        is: fc.constant('total' as const),
        op: fc.constantFrom('add' as const, 'max' as const, 'mul' as const),
        from: fc.constantFrom('left' as const, 'right' as const, 'pairs' as const),
      }),
    },
  );
  return fc.record({
    length: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(40)),
    stages: fc.array(stage, { minLength: 1, maxLength: 4 }),
  });
};

/** Runs a program in any arithmetic. */
export const runRandom = <T>(program: RandomProgram, on: Arithmetics<T>, inputs: readonly T[]): readonly T[] => {
  let values = inputs;
  const kept: T[] = [];
  for (const stage of program.stages) {
    if (stage.is === 'map') values = runMap(stage, on, values);
    else if (stage.is === 'scatter') values = runScatter(stage, on, values);
    else {
      const all = total(stage, on, values);
      kept.push(all);
      values = [...values.slice(0, 30), all];
    }
  }
  return [...values, ...kept];
};

const runMap = <T>(stage: Stage & { is: 'map' }, on: Arithmetics<T>, values: readonly T[]): readonly T[] =>
  Array.from({ length: stage.size }, (_, i) => {
    /* Neighbours for even instances, others further away. */
    const pool = Array.from(
      { length: stage.leaves },
      (_, k) => values[(i * stage.stride + (i % 3 === 0 ? k : k * k + i)) % values.length],
    );
    for (const s of stage.steps) {
      const at = (k: number): T => pool[pool.length - 1 - (k % Math.min(pool.length, 6))];
      if (s.is === 'op') pool.push(on.apply(s.name, at(s.a), at(s.b)));
      else if (s.is === 'constant') {
        const c = on.number(s.value);
        pool.push(s.left ? on.apply(s.name, c, at(s.a)) : on.apply(s.name, at(s.a), c));
      } else pool.push(on.select(s.name, at(s.of[0]), at(s.of[1]), at(s.of[2]), at(s.of[3])));
    }
    return pool.slice(-stage.keep);
  }).flat();

const runScatter = <T>(stage: Stage & { is: 'scatter' }, on: Arithmetics<T>, values: readonly T[]): readonly T[] => {
  const bins = Math.min(stage.bins, values.length);
  const sums: (T | undefined)[] = Array.from({ length: bins }, () =>
    stage.start === 'zero' ? on.number(0) : undefined,
  );
  values.forEach((v, i) => {
    const bin = i < bins ? i : (i * stage.spread + (i % 4)) % bins;
    const before = sums[bin];
    const name = stage.op === 'both' ? (i % 3 === 0 ? 'sub' : 'add') : stage.op;
    if (before === undefined) sums[bin] = v;
    else sums[bin] = stage.start === 'last' && name === 'add' ? on.apply(name, v, before) : on.apply(name, before, v);
  });
  return sums as T[];
};

const total = <T>({ op, from }: Stage & { is: 'total' }, on: Arithmetics<T>, values: readonly T[]): T => {
  if (from === 'left') return values.reduce((a, b) => on.apply(op, a, b));
  if (from === 'right') return values.reduceRight((a, b) => on.apply(op, b, a));
  let list = values;
  while (list.length > 1)
    list = Array.from({ length: Math.ceil(list.length / 2) }, (_, i) =>
      2 * i + 1 < list.length ? on.apply(op, list[2 * i], list[2 * i + 1]) : list[2 * i],
    );
  return list[0];
};
