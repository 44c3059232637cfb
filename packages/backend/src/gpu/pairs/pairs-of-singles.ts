import {
  type Attr,
  type Attrs,
  type Buffer,
  type Dialect,
  type IdSource,
  type Kernel,
  type Module,
  type Op,
  type OpTable,
  type Pass,
  type Region,
  type ScalarType,
  type Type,
  type Value,
  byteSize,
  fail,
  freshIds,
  makeOp,
  makeValue,
  mapKernels,
  opTable,
  opWith,
  pass,
  walk,
} from '@filigree/ir';

/** A double as two singles: the nearest one, and what is missing, undefined where that is known to be nothing. */
interface Pair {
  readonly high: Value;
  readonly low: Value | undefined;
}

/**
 * Doubles in registers as pairs of singles, for targets without `f64`: what loops carry and branches give, sums, differences, products, quotients,
 * comparisons and choices, of what was loaded, converted from singles or from integers of up to 32 bits, or is a constant. A pair has 48 bits of 53 and the exponents of a single: what is above 3.4e38 is
 * infinite, and where the number is below 1e-31 or so its second half is lost. Infinity and NaN stay what they are; the sign of zero may be lost. In memory a double is the double that it was: buffers
 * are of its bits (`u64`). Doubles as arguments are left to whoever says what types there are. Error: `pairs/op` for anything else that is done with a double.
 *
 * T. J. Dekker, A floating-point technique for extending the available precision (1971); sums of pairs are the accurate ones.
 */
export const pairsOfSingles = (dialects: readonly Dialect[]): Pass<Module> => {
  const table = opTable(dialects);
  return pass('pairs-of-singles', (module) => {
    const halved = mapKernels(module, (kernel) =>
      computesInDoubles(kernel) ? new Halver(kernel, table).kernel() : kernel,
    );
    return module.buffers.some((b) => b.type === 'f64') ? { ...halved, buffers: module.buffers.map(asBits) } : halved;
  });
};

const asBits = (b: Buffer): Buffer => {
  if (b.type !== 'f64') return b;
  const { data } = b;
  return {
    ...b,
    type: 'u64',
    ...(data && { data: new BigUint64Array(data.buffer, data.byteOffset, data.length) }),
  };
};

const isDouble = ({ type }: Value): boolean => type === 'f64';

const computesInDoubles = ({ body }: Kernel): boolean => {
  let found = false;
  walk(body, (op) => (found ||= op.results.some(isDouble) || op.operands.some(isDouble)));
  return found;
};

/** Rewrites one kernel; holds which pair each double has become. */
class Halver {
  private readonly pairs = new Map<number, Pair>();
  /** What other values have become that ops on doubles gave. */
  private readonly others = new Map<number, Value>();
  private readonly ids: IdSource;
  private ops: Op[] = [];
  private from: Op | undefined;

  constructor(
    private readonly given: Kernel,
    private readonly table: OpTable,
  ) {
    this.ids = freshIds(given);
  }

  kernel(): Kernel {
    return { ...this.given, body: this.region(this.given.body) };
  }

  private region(r: Region): Region {
    const outer = this.ops;
    this.ops = [];
    const params = r.params.flatMap((p) => this.split(p));
    r.ops.forEach((op) => this.op(op));
    const { ops } = this;
    this.ops = outer;
    return { params, ops };
  }

  private op(given: Op): void {
    const op = opWith(given, { operands: given.operands.map((v) => this.others.get(v.id) ?? v) });
    const form = forms[op.name];
    const def = this.table.get(op.name);
    const touches = op.operands.some(isDouble) || op.results.some(isDouble);
    if (def?.control !== undefined || def?.traits.terminator === true) this.structured(op);
    else if (!touches) this.ops.push(opWith(op, { regions: op.regions.map((r) => this.region(r)) }));
    else if (form) {
      this.from = op;
      form(this, op);
    } else this.refuse(op, `${op.name} is not one of what is done with them`);
  }

  refuse(op: Op, why: string): never {
    return fail('pairs/op', `doubles are pairs of f32 here, and ${why}`, {
      loc: op.loc,
      remedy:
        'convert to f32 before, as f32(x): pairs are for sums, differences, products, quotients and comparisons; and store in fixed() of at most 24 bits, with a range that is a power of two, which needs no f64',
    });
  }

  /** Loops, branches and terminators: each double that they carry becomes two singles. */
  private structured(op: Op): void {
    this.from = op;
    const operands = op.operands.flatMap((v) => (isDouble(v) ? this.both(this.of(v)) : [v]));
    const results = op.results.flatMap((r) => this.split(r));
    const regions = op.regions.map((r) => this.region(r));
    this.ops.push(opWith(op, { operands, results, regions }));
  }

  private split(v: Value): readonly Value[] {
    if (!isDouble(v)) return [v];
    const half = (name: string): Value => makeValue(this.ids.next(), 'f32', v.hint && `${v.hint}_${name}`);
    const pair = { high: half('high'), low: half('low') };
    this.pairs.set(v.id, pair);
    return [pair.high, pair.low];
  }

  of(v: Value): Pair {
    return this.pairs.get(v.id) ?? this.refuse(this.from!, 'none comes as an argument');
  }

  both({ high, low }: Pair): readonly Value[] {
    return [high, low ?? this.number(0)];
  }

  define(op: Op, pair: Pair): void {
    this.pairs.set(op.results[0]!.id, pair);
  }

  /** Says what the result of an op is that is no double. */
  give(op: Op, value: Value): void {
    this.others.set(op.results[0]!.id, value);
  }

  store(bits: Value, op: Op): void {
    this.ops.push(opWith(op, { operands: [bits, op.operands[1]!] }));
  }

  make(name: string, operands: readonly Value[], type: Type = 'f32', attrs: Attrs = {}): Value {
    const result = makeValue(this.ids.next(), type, undefined);
    this.ops.push(makeOp(name, operands, [result], attrs, [], this.from?.loc));
    return result;
  }

  number(value: Attr, type: ScalarType = 'f32'): Value {
    return this.make('arith.constant', [], type, { value });
  }

  /** The sum of two singles, and what rounding took from it. */
  sumOf(a: Value, b: Value): readonly [high: Value, low: Value] {
    return [this.make('arith.add', [a, b]), this.make('pair.restOfSum', [a, b])];
  }

  plus(a: Value, b: Value | undefined): Value {
    return b ? this.make('arith.add', [a, b]) : a;
  }

  /* The low halves are added as exactly as the high ones: where these cancel, they are what is left. */
  sum(a: Pair, b: Pair): Pair {
    const [first, rest] = this.sumOf(a.high, b.high);
    const lows = a.low && b.low ? this.sumOf(a.low, b.low) : undefined;
    const low = lows?.[0] ?? a.low ?? b.low;
    if (low === undefined) return { high: first, low: rest };
    const [high, left] = this.sumOf(first, this.plus(rest, low));
    if (lows === undefined) return { high, low: left };
    const [whole, last] = this.sumOf(high, this.plus(left, lows[1]));
    return { high: whole, low: last };
  }

  product(a: Pair, b: Pair): Pair {
    const high = this.make('arith.mul', [a.high, b.high]);
    const rest = this.make('pair.restOfProduct', [a.high, b.high]);
    const crossed = [
      ...(b.low ? [this.make('arith.mul', [a.high, b.low])] : []),
      ...(a.low ? [this.make('arith.mul', [a.low, b.high])] : []),
    ];
    if (crossed.length === 0) return { high, low: rest };
    /* Infinity times nothing is no number, and nothing is what the low half of infinity is. */
    const finite = this.isFinite(high);
    const inner = crossed.reduce((x, y) => this.plus(x, y), rest);
    const [whole, low] = this.sumOf(high, this.make('arith.select', [finite, inner, this.number(0)]));
    return { high: whole, low };
  }

  /* By the first halves, then by what is left of the dividend, twice. What is not finite, or by infinity, is what the first halves give. */
  quotient(a: Pair, b: Pair): Pair {
    const one = (x: Value): Value => this.make('arith.div', [x, b.high]);
    const less = (x: Pair, by: Value): Pair =>
      this.sum(x, this.negative(this.product(b, { high: by, low: undefined })));
    const first = one(a.high);
    const left = less(a, first);
    const second = one(left.high);
    const third = one(less(left, second).high);
    const sure = this.make('arith.and', [this.isFinite(first), this.isFinite(b.high)], 'i1');
    const or0 = (x: Value): Value => this.make('arith.select', [sure, x, this.number(0)]);
    return this.sum(
      { high: first, low: undefined },
      this.sum({ high: or0(second), low: undefined }, { high: or0(third), low: undefined }),
    );
  }

  isFinite(x: Value): Value {
    return this.make('arith.cmp', [this.make('arith.sub', [x, x]), this.number(0)], 'i1', { predicate: 'eq' });
  }

  /** Whether a predicate holds: by the high halves where these differ, else by the low ones. */
  holds(predicate: string, a: Pair, b: Pair): Value {
    const by = (how: string, x: Value, y: Value): Value => this.make('arith.cmp', [x, y], 'i1', { predicate: how });
    if (a.low === undefined && b.low === undefined) return by(predicate, a.high, b.high);
    const [lowA, lowB] = [a, b].map((p) => this.both(p)[1]!) as [Value, Value];
    if (predicate === 'ne') return this.make('arith.or', [by('ne', a.high, b.high), by('ne', lowA, lowB)], 'i1');
    const same = this.make('arith.and', [by('eq', a.high, b.high), by(predicate, lowA, lowB)], 'i1');
    if (predicate === 'eq') return same;
    return this.make('arith.or', [by(predicate.startsWith('l') ? 'lt' : 'gt', a.high, b.high), same], 'i1');
  }

  choice(condition: Value, a: Pair, b: Pair): Pair {
    const one = (x: Value, y: Value): Value => this.make('arith.select', [condition, x, y]);
    return {
      high: one(a.high, b.high),
      low: a.low === undefined && b.low === undefined ? undefined : one(this.both(a)[1]!, this.both(b)[1]!),
    };
  }

  negative({ high, low }: Pair): Pair {
    return { high: this.make('arith.neg', [high]), low: low && this.make('arith.neg', [low]) };
  }
}

type Form = (s: Halver, op: Op) => void;

const binary =
  (combine: (s: Halver, a: Pair, b: Pair) => Pair): Form =>
  (s, op) =>
    s.define(op, combine(s, s.of(op.operands[0]!), s.of(op.operands[1]!)));

/* The greatest single, and the least with all its bits. */
const [MOST, LEAST] = [(2 - 2 ** -23) * 2 ** 127, 2 ** -126];

const constant: Form = (s, op) => {
  const value = op.attrs['value'] as number | string;
  const number = Number(value);
  const high = Math.fround(number);
  const size = Math.abs(number);
  if (Number.isFinite(number) && (size > MOST || (size < LEAST && size !== 0)))
    s.refuse(op, `${String(value)} is beyond the exponents of f32`);
  const low = Number.isFinite(number) ? Math.fround(number - high) : 0;
  s.define(op, { high: s.number(Number.isFinite(number) ? high : value), low: low === 0 ? undefined : s.number(low) });
};

/* An integer of 32 bits is two of 16, of which each is a single. */
const cast: Form = (s, op) => {
  const [x] = op.operands as [Value];
  const from = x.type as ScalarType;
  const to = op.results[0]!.type as ScalarType;
  const single = (v: Value): Value => s.make('arith.cast', [v], 'f32', { to: 'f32' });
  if (from === 'f64') {
    const pair = s.of(x);
    if (to === 'f64') s.define(op, pair);
    else if (to === 'f32') s.give(op, pair.high);
    else s.refuse(op, `they do not become ${to}`);
  } else if (from === 'f32') s.define(op, { high: x, low: undefined });
  else if (byteSize(from) < 4) s.define(op, { high: single(x), low: undefined });
  else if (byteSize(from) > 4) s.refuse(op, `${from} does not become one`);
  else {
    const upper = s.make('arith.shr', [x, s.number(16, from)], from);
    const lower = s.make('arith.and', [x, s.number(0xffff, from)], from);
    const above = s.make('arith.mul', [single(upper), s.number(65536)]);
    s.define(op, s.sum({ high: above, low: undefined }, { high: single(lower), low: undefined }));
  }
};

/* The lesser or greater, NaN where one is. */
const extreme = (predicate: 'lt' | 'gt'): Form =>
  binary((s, a, b) => {
    const isNaN = s.make('arith.cmp', [a.high, a.high], 'i1', { predicate: 'ne' });
    return s.choice(s.make('arith.or', [s.holds(predicate, a, b), isNaN], 'i1'), a, b);
  });

/* In memory a double is its bits. */
const bitsOf = (s: Halver, x: Value): Value => s.make('pair.bits', s.both(s.of(x)), 'u64');
const ofBits = (s: Halver, bits: Value): Pair => ({
  high: s.make('pair.high', [bits]),
  low: s.make('pair.low', [bits]),
});

/** How ops on doubles are done on pairs. */
const forms: Readonly<Record<string, Form>> = {
  'arith.constant': constant,
  'arith.cast': cast,
  'arith.add': binary((s, a, b) => s.sum(a, b)),
  'arith.sub': binary((s, a, b) => s.sum(a, s.negative(b))),
  'arith.mul': binary((s, a, b) => s.product(a, b)),
  'arith.neg': (s, op) => s.define(op, s.negative(s.of(op.operands[0]!))),
  'math.fma': (s, op) => {
    const [a, b, c] = op.operands.map((v) => s.of(v)) as [Pair, Pair, Pair];
    s.define(op, s.sum(s.product(a, b), c));
  },
  'arith.div': binary((s, a, b) => s.quotient(a, b)),
  'arith.min': extreme('lt'),
  'arith.max': extreme('gt'),
  'mem.load': (s, op) => s.define(op, ofBits(s, s.make('mem.load', op.operands, 'u64', op.attrs))),
  'mem.store': (s, op) => s.store(bitsOf(s, op.operands[0]!), op),
  'arith.cmp': (s, op) => {
    const [a, b] = op.operands.map((v) => s.of(v)) as [Pair, Pair];
    s.give(op, s.holds(String(op.attrs['predicate']), a, b));
  },
  'arith.select': (s, op) => {
    const [a, b] = op.operands.slice(1).map((v) => s.of(v)) as [Pair, Pair];
    s.define(op, s.choice(op.operands[0]!, a, b));
  },
};
