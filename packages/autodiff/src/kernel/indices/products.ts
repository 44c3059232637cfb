import { definitions, isInteger, walk, type Op, type Value } from '@filigree/ir';

/** Products of what values are called, joined by `*`, each times a number; the empty product is what is added as it is. */
export type Products = ReadonlyMap<string, number>;

/** The integers of a parallel loop as sums of products. */
export interface LoopProducts {
  readonly of: (v: Value) => Products;
  /** What tells the root: itself, or its quotient and its remainder. */
  readonly tells: readonly string[];
  /** Of what is from zero to below it: remainders, and counters. What is below nothing that is known is below something that occurs nowhere. */
  readonly belowOf: ReadonlyMap<string, Products>;
  /** How far the loop goes on at a time. */
  readonly step: Products;
  /** Of what is the whole part of something that is divided by a number. */
  readonly partOf: ReadonlyMap<string, { readonly of: Products; readonly by: number }>;
  /** Whether something is the same for all iterations, wherever in one. */
  readonly isFixed: (name: string) => boolean;
}

/**
 * Reads the integers of a loop as sums of products, so that of `2 * h * floor(k / h) + k % h` also the product with an argument is known. Where its counter is divided by one number or one value, and taken modulo the same, these two take its place. Shifts and
 * masks are such divisions by powers of two, `1 << s` among them, and so are quotients that are computed in floats: f64 has them exactly.
 *
 * A counter that may be below zero is not divided: what remains of it may be below zero, too.
 *
 * @param root the counter, or a digit of it, such as the second index of a loop over pairs; of a digit others are not the same for all
 * @param madeBy the op that a value is the result of
 */
export const loopProducts = (
  loop: Op,
  root: Value,
  madeBy: (v: Value) => Op | undefined,
  liesIn: (v: Value) => readonly [least: number, most: number],
): LoopProducts | undefined => {
  const [region] = loop.regions;
  const [counter] = region.params;
  if (loop.name !== 'scf.for') return undefined;
  const inside = definitions(region);
  const within = new Set([...inside.keys(), counter.id]);
  const inner = new Map<number, Op>();
  walk(region, (op) => {
    for (const { params } of op.regions) params.forEach((p) => within.add(p.id));
    if (op.name === 'scf.for') inner.set(op.regions[0].params[0].id, op);
  });
  const known = new Map<number, Products>();
  const belowOf = new Map<string, Products>();
  const partOf = new Map<string, { readonly of: Products; readonly by: number }>();
  const floats = new Set<string>();
  let split: Products | undefined;
  const isFixed = (name: string): boolean =>
    name !== QUOTIENT && name !== REMAINDER && !within.has(Number(name.replace('^', '')));

  const of = (v: Value): Products => {
    const found = known.get(v.id) ?? read(v) ?? named(String(v.id));
    known.set(v.id, found);
    if (v.type === 'f64' && found.has(String(v.id))) floats.add(String(v.id));
    return found;
  };
  const read = (v: Value): Products | undefined => {
    if (v.id === root.id && split) return sum(product(split, named(QUOTIENT)), named(REMAINDER), 1);
    if (v.id === counter.id) return steps();
    if (v.id === root.id) return undefined;
    const op = madeBy(v);
    if (!op || !isExact(v)) return undefined;
    const [a, b] = op.operands;
    if (op.name === 'arith.constant') return number(Number(op.attrs.value));
    const division = divisionBy(v, op);
    if (division) return isFixed(String(v.id)) ? notePart(v, division) : divided(division);
    if (op.name === 'arith.cast' || op.name === 'math.floor' || op.name === 'math.trunc') return exactly(a);
    /* What is no number is no index. */
    if (op.name === 'arith.select' && isItself(madeBy(a))) return of(b);
    if (op.name === 'arith.add') return sum(of(a), of(b), 1);
    if (op.name === 'arith.sub') return sum(of(a), of(b), -1);
    if (op.name === 'arith.mul') return product(of(a), of(b));
    const power = op.name === 'arith.shl' ? powerOf(b) : undefined;
    if (power) return product(of(a), power);
    return op.name === 'arith.or' || op.name === 'arith.xor' ? besideEachOther(of(a), of(b)) : undefined;
  };
  const notePart = (v: Value, { of: whole, by, gives }: Division): undefined => {
    const times = by.get('');
    if (gives === QUOTIENT && by.size === 1 && times !== undefined)
      partOf.set(String(v.id), { of: of(whole), by: times });
  };
  const exactly = (v: Value): Products | undefined => {
    const all = isExact(v) ? of(v) : undefined;
    const isWhole = [...(all ?? [])].every(
      ([key, n]) => Number.isInteger(n) && !factorsOf(key).some((k) => floats.has(k)),
    );
    return isWhole ? all : undefined;
  };
  /** The counter of a loop that goes on by some number at a time. */
  const steps = (): Products => {
    const step = of(loop.operands[2]);
    return isOne(step)
      ? named(String(counter.id))
      : sum(of(loop.operands[0]), product(step, named(String(counter.id))), 1);
  };
  /** 2 to the power of something. */
  const powerOf = (v: Value): Products | undefined => {
    const form = of(v);
    const plus = form.get('') ?? 0;
    const [term, ...others] = [...form].filter(([key]) => key !== '');
    if (!term) return number(2 ** plus);
    return others.length === 0 && term[1] === 1 && !term[0].includes('*')
      ? new Map([[`^${term[0]}`, 2 ** plus]])
      : undefined;
  };
  const divisionBy = (v: Value, op: Op): Division | undefined => {
    const [a, b] = op.operands;
    if (op.name === 'arith.shr') return division(a, powerOf(b), QUOTIENT);
    if (op.name === 'arith.and') {
      const by = sum(of(b), number(1), 1);
      return isPower(by) ? division(a, by, REMAINDER) : undefined;
    }
    if (op.name === 'arith.rem') return division(a, of(b), REMAINDER);
    if (op.name === 'arith.div' && isInteger(v.type)) return division(a, of(b), QUOTIENT);
    const whole =
      op.name === 'math.floor' || op.name === 'math.trunc' || (op.name === 'arith.cast' && isInteger(v.type));
    const quotient = whole && a.type === 'f64' ? madeBy(a) : undefined;
    return quotient?.name === 'arith.div'
      ? division(quotient.operands[0], of(quotient.operands[1]), QUOTIENT)
      : undefined;
  };
  const division = (v: Value, by: Products | undefined, gives: Division['gives']): Division | undefined =>
    by && { of: uncast(v, madeBy), by, gives };
  const divided = ({ of: v, by, gives }: Division): Products | undefined => {
    if (!split || !areEqual(by, split)) return undefined;
    const whole = gives === QUOTIENT && areEqual(of(v), product(split, named(QUOTIENT)));
    return v.id === root.id || whole ? named(gives) : undefined;
  };
  /** Bits beside those of another: a remainder and multiples of a power of two; that power itself and what has not its bit. */
  const besideEachOther = (a: Products, b: Products): Products | undefined => {
    if (!split || !isPower(split)) return undefined;
    const [[key, times]] = split;
    const multiples = (of: Products, by: number): boolean =>
      [...of].every(([k, n]) => isTimes(k, key) && n % (times * by) === 0);
    const without = (of: Products): Products => new Map([...of].filter(([k]) => k !== REMAINDER));
    const isApart = (x: Products, y: Products): boolean =>
      (areEqual(x, named(REMAINDER)) && multiples(y, 1)) ||
      (areEqual(x, split!) && (y.get(REMAINDER) ?? 1) === 1 && multiples(without(y), 2));
    return isApart(a, b) || isApart(b, a) ? sum(a, b, 1) : undefined;
  };

  /* By what the root is divided; before that is known it is read as itself. */
  const divisions: Division[] = [];
  walk(region, (op) => {
    const [result] = op.results;
    const found = result && divisionBy(result, op);
    if (found?.of.id === root.id) divisions.push(found);
  });
  known.clear();
  if (
    divisions.length > 0 &&
    liesIn(root)[0] >= 0 &&
    (root.id !== counter.id || isOne(of(loop.operands[2]))) &&
    divisions.every((d) => areEqual(d.by, divisions[0].by))
  ) {
    known.clear();
    split = divisions[0].by;
    belowOf.set(REMAINDER, split);
  }
  for (const [id, { operands }] of [...inner, [counter.id, loop] as const]) {
    const [lower, upper, step] = operands.map(of);
    if (lower.size === 0 && isOne(step)) belowOf.set(String(id), upper);
  }
  const name = String(root.id);
  if (!split && !belowOf.has(name)) belowOf.set(name, named('endless'));
  return { of, tells: split ? [QUOTIENT, REMAINDER] : [name], belowOf, step: of(loop.operands[2]), partOf, isFixed };
};

interface Division {
  readonly of: Value;
  readonly by: Products;
  readonly gives: typeof QUOTIENT | typeof REMAINDER;
}

const QUOTIENT = 'quotient';
const REMAINDER = 'remainder';

/** Whether integers of 32 bits are computed exactly in the type of a value. */
const isExact = ({ type }: Value): boolean => type === 'f64' || type === 'i32';

const uncast = (v: Value, madeBy: (v: Value) => Op | undefined): Value => {
  const op = madeBy(v);
  return op?.name === 'arith.cast' && op.operands[0].type === 'i32' ? op.operands[0] : v;
};

const isItself = (op: Op | undefined): boolean =>
  op?.name === 'arith.cmp' && op.attrs.predicate === 'eq' && op.operands[0].id === op.operands[1].id;

const named = (name: string): Products => new Map([[name, 1]]);

const number = (n: number): Products => new Map(n === 0 ? [] : [['', n]]);

const isOne = (p: Products): boolean => areEqual(p, number(1));

/** Whether it is a power of two: a number, or what 1 is shifted by. */
const isPower = (p: Products): boolean => {
  const [[key, times] = ['', 0]] = p;
  return p.size === 1 && (key === '' ? Number.isInteger(Math.log2(times)) : key.startsWith('^') && !key.includes('*'));
};

/** Whether a product has another one in it, which is empty or a single value. */
const isTimes = (product: string, of: string): boolean => of === '' || factorsOf(product).includes(of);

export const areEqual = (a: Products, b: Products): boolean =>
  a.size === b.size && [...a].every(([k, n]) => b.get(k) === n);

const sum = (a: Products, b: Products, times: number): Products => {
  const all = new Map(a);
  for (const [k, n] of b) all.set(k, (all.get(k) ?? 0) + times * n);
  return new Map([...all].filter(([, n]) => n !== 0));
};

const product = (a: Products, b: Products): Products => {
  let all: Products = new Map();
  for (const [k, n] of a) for (const [l, m] of b) all = sum(all, new Map([[joined(k, l), n * m]]), 1);
  return all;
};

const joined = (a: string, b: string): string => productOf([...factorsOf(a), ...factorsOf(b)]);

/** What the factors of a product are called. */
export const factorsOf = (product: string): readonly string[] => (product === '' ? [] : product.split('*'));

export const productOf = (factors: readonly string[]): string => [...factors].sort().join('*');
