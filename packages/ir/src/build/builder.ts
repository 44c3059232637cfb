import { option, type OptionSpec } from '../options/kinds.js';
import { checkOptions } from '../options/check-options.js';
import { type Loc, fail } from '../diagnostics/diagnostic.js';
import { coreDialects } from '../dialects/core.js';
import { attrFromScalar } from '../dialects/convert.js';
import type { AtomicKind } from '../dialects/mem.js';
import { bufferMap } from '../dialects/mem.js';
import { type OpTable, opTable } from '../dialects/op-table.js';
import type { Predicate } from '../dialects/arith.js';
import type { Buffers, Dialect, OpDef, Scalar } from '../kernel/dialect.js';
import type { Attrs, Buffer, Kernel, Op, Region, Value } from '../kernel/op.js';
import { type ScalarType, type Type, lanesOf, scalarOf, typeText } from '../kernel/type.js';
import { type IdSource, idsFrom } from './ids.js';
import { makeOp, makeValue } from './make-op.js';
import { opKey } from './op-key.js';
import { type ScopedMap, scopedMap } from './scoped-map.js';

/** What a region's function yields: values, one value, or nothing. */
export type Yields = readonly Value[] | Value | void;

/**
 * Builds a kernel: `body` adds ops in order and the closing `scf.yield` is added after it. Types of results come from the
 * op definitions; an op that is not well-formed throws `DiagnosticError` `build/op` at once.
 *
 * @param params names and types of the scalar parameters; `body` receives their values by name
 * @param buffers the buffers that loads and stores may name
 * @param options `share`: of equal ops without effects only the first is made, see `Builder`
 */
export const buildKernel = <P extends Readonly<Record<string, ScalarType>>>(
  name: string,
  params: P,
  body: (b: Builder, params: { readonly [K in keyof P]: Value }) => void,
  buffers: readonly Buffer[] = [],
  options?: KernelChoices,
): Kernel => {
  const { dialects = coreDialects, attrs = {}, share } = checkOptions('buildKernel', options, kernelSpec);
  const b = new Builder(opTable(dialects), bufferMap(buffers), idsFrom(0), share);
  const values = Object.fromEntries(Object.entries(params).map(([hint, type]) => [hint, b.newValue(type, hint)]));
  const { region } = b.region([], () => body(b, values as { readonly [K in keyof P]: Value }));
  return { name, params: Object.values(values), body: region, attrs };
};

interface KernelChoices {
  readonly dialects?: readonly Dialect[];
  readonly attrs?: Attrs;
  readonly share?: boolean;
}

const kernelSpec: OptionSpec<KernelChoices> = {
  dialects: option.array('a list of dialects'),
  attrs: option.record(option.anything),
  share: option.truth,
};

/**
 * Appends ops to a list. `buildKernel` makes one for a kernel, `ctx.build` of a rewrite one for a replacement.
 *
 * A method with the name of an op, such as `add`, `cast` or `cas`, appends that op of `arith`, `math` or `mem` and
 * returns its result. Buffers are given by their bare names.
 *
 * With `share`, an op without effects that equals one in scope is not made again: its results are those of the first. Then
 * all that is built must be used, where it was built.
 */
export class Builder {
  private ops: Op[] = [];
  /** The place in a user's source that the next ops come from. */
  loc: Loc | undefined;
  /** Results by what ops compute. */
  private readonly known: ScopedMap<readonly Value[]> | undefined;

  constructor(
    private readonly table: OpTable,
    private readonly buffers: Buffers,
    private readonly ids: IdSource,
    share = false,
  ) {
    this.known = share ? scopedMap() : undefined;
  }

  /** Runs `body`; what it builds is not shared with what is built after it. */
  scoped<A>(body: () => A): A {
    this.known?.enter();
    try {
      return body();
    } finally {
      this.known?.leave();
    }
  }

  /** The ops that `body` appends, kept apart from those before, and what it yields. */
  collect(body: () => Yields): { readonly ops: readonly Op[]; readonly values: readonly Value[] } {
    return this.scoped(() => this.inPlace(body));
  }

  /** As `collect`, for ops that will stand where the builder is: they may be shared with what is built after them. */
  inPlace(body: () => Yields): { readonly ops: readonly Op[]; readonly values: readonly Value[] } {
    const outer = this.ops;
    this.ops = [];
    try {
      const values = list(body());
      return { ops: this.ops, values };
    } finally {
      this.ops = outer;
    }
  }

  /** A value with a fresh id that nothing defines yet, for a parameter or a result. */
  newValue(type: Type, hint?: string): Value {
    return makeValue(this.ids.next(), type, hint);
  }

  /** Appends any op. `types` states the results where the operands do not imply them, as for constants. */
  op(
    name: string,
    operands: readonly Value[] = [],
    attrs: Attrs = {},
    regions: readonly Region[] = [],
    types?: readonly Type[],
  ): readonly Value[] {
    const def =
      this.table.get(name) ??
      fail('build/unknown-op', `no dialect defines op '${name}'`, { remedy: 'pass its dialect' });
    const results: Value[] = [];
    const op = makeOp(def.name, operands, results, attrs, regions, this.loc);
    /* Result types first: some definitions check the results against the regions. Malformed operands surface in verify. */
    const resultTypes = types ?? attempt(() => def.resultTypes(operands, attrs, regions, this.buffers)) ?? [];
    const key = this.known && keyOf(op, def, resultTypes);
    const same = key === undefined ? undefined : this.known!.get(key);
    if (same) return same;
    for (const t of resultTypes) results.push(this.newValue(t));
    const problems = def.verify(op, this.buffers);
    if (problems.length > 0)
      fail('build/op', `${name}(${operands.map((v) => typeText(v.type)).join(', ')}): ${problems.join('; ')}`, {
        loc: this.loc,
      });
    this.ops.push(op);
    if (key !== undefined) this.known!.set(key, op.results);
    return op.results;
  }

  /** Appends an op that has one result. */
  value(name: string, operands: readonly Value[] = [], attrs: Attrs = {}, regions: readonly Region[] = []): Value {
    return this.op(name, operands, attrs, regions)[0];
  }

  /** Appends an op as it is; its results keep their ids. */
  append(op: Op): readonly Value[] {
    this.ops.push(op);
    return op.results;
  }

  /** A region with parameters of these types, its ops added by `body`, ended by `terminator` with what `body` yields. */
  region(
    params: readonly { readonly type: Type; readonly hint?: string }[],
    body: (args: readonly Value[]) => Yields,
    terminator = 'scf.yield',
  ): { readonly region: Region; readonly yields: readonly Value[] } {
    const args = params.map((p) => this.newValue(p.type, p.hint));
    const { ops, values: yields } = this.collect(() => {
      const values = list(body(args));
      this.op(terminator, values);
      return values;
    });
    return { region: { params: args, ops }, yields };
  }

  /** A constant of a scalar or vector type; i64 and u64 accept numbers and bigints. */
  constant(value: Scalar, type: Type): Value {
    return this.op('arith.constant', [], { value: attrFromScalar(value, scalarOf(type)) }, [], [type])[0];
  }
  i32 = (value: number): Value => this.constant(value, 'i32');
  i64 = (value: number | bigint): Value => this.constant(value, 'i64');
  f32 = (value: number): Value => this.constant(value, 'f32');
  f64 = (value: number): Value => this.constant(value, 'f64');
  bool = (value: boolean): Value => this.constant(value, 'i1');

  add = (a: Value, b: Value): Value => this.value('arith.add', [a, b]);
  sub = (a: Value, b: Value): Value => this.value('arith.sub', [a, b]);
  mul = (a: Value, b: Value): Value => this.value('arith.mul', [a, b]);
  div = (a: Value, b: Value): Value => this.value('arith.div', [a, b]);
  rem = (a: Value, b: Value): Value => this.value('arith.rem', [a, b]);
  min = (a: Value, b: Value): Value => this.value('arith.min', [a, b]);
  max = (a: Value, b: Value): Value => this.value('arith.max', [a, b]);
  neg = (a: Value): Value => this.value('arith.neg', [a]);
  and = (a: Value, b: Value): Value => this.value('arith.and', [a, b]);
  or = (a: Value, b: Value): Value => this.value('arith.or', [a, b]);
  xor = (a: Value, b: Value): Value => this.value('arith.xor', [a, b]);
  not = (a: Value): Value => this.value('arith.not', [a]);
  shl = (a: Value, b: Value): Value => this.value('arith.shl', [a, b]);
  shr = (a: Value, b: Value): Value => this.value('arith.shr', [a, b]);
  cmp = (predicate: Predicate, a: Value, b: Value): Value => this.value('arith.cmp', [a, b], { predicate });
  select = (condition: Value, a: Value, b: Value): Value => this.value('arith.select', [condition, a, b]);
  cast = (a: Value, to: ScalarType): Value => this.value('arith.cast', [a], { to });
  bitcast = (a: Value, to: ScalarType): Value => this.value('arith.bitcast', [a], { to });
  splat = (a: Value, lanes: number): Value => this.value('arith.splat', [a], { lanes });
  iota = (a: Value, lanes: number): Value => this.value('arith.iota', [a], { lanes });
  extract = (a: Value, lane: number): Value => this.value('arith.extract', [a], { lane });
  insert = (vector: Value, a: Value, lane: number): Value => this.value('arith.insert', [vector, a], { lane });
  reduce = (kind: 'add' | 'mul' | 'min' | 'max' | 'or', a: Value): Value => this.value('arith.reduce', [a], { kind });

  /** An elementary function by its name in the dialect `math`, for example `math('sqrt', x)`. */
  math = (name: string, ...operands: readonly Value[]): Value => this.value(`math.${name}`, operands);
  fma = (a: Value, b: Value, c: Value): Value => this.value('math.fma', [a, b, c]);

  /** Loads from a buffer (bare name): an element, or a vector of `lanes` from `index` on. */
  load = (buffer: string, index: Value, lanes = 1): Value =>
    this.value('mem.load', [index], lanes === 1 ? { buffer: `@${buffer}` } : { buffer: `@${buffer}`, lanes });
  /** Stores a scalar or vector; operands stand as in the op: value, then index. */
  store = (buffer: string, value: Value, index: Value): void =>
    void this.op('mem.store', [value, index], { buffer: `@${buffer}` });
  /** A vector of `lanes` whose first `count` are elements from `index` on, and whose others are zero: `count` < `lanes`. */
  loadFirst = (buffer: string, index: Value, lanes: number, count: number): Value =>
    this.value('mem.loadFirst', [index], { buffer: `@${buffer}`, lanes, count });
  /** Stores the first `count` lanes of a vector, fewer than it has. */
  storeFirst = (buffer: string, value: Value, index: Value, count: number): void =>
    void this.op('mem.storeFirst', [value, index], { buffer: `@${buffer}`, count });
  gather = (buffer: string, indices: Value): Value => this.value('mem.gather', [indices], { buffer: `@${buffer}` });
  scatter = (buffer: string, values: Value, indices: Value): void =>
    void this.op('mem.scatter', [values, indices], { buffer: `@${buffer}` });
  atomic = (buffer: string, kind: AtomicKind, value: Value, index: Value): Value =>
    this.value('mem.atomic', [value, index], { buffer: `@${buffer}`, kind });
  cas = (buffer: string, expected: Value, desired: Value, index: Value): Value =>
    this.value('mem.cas', [expected, desired, index], { buffer: `@${buffer}` });

  /** A counted loop; `body` gets the induction value and the carried values and yields the next carried values. */
  for(
    lb: Value,
    ub: Value,
    step: Value,
    attrs: Attrs,
    inits: readonly Value[],
    body: (iv: Value, carried: readonly Value[]) => Yields,
  ): readonly Value[] {
    const params = [{ type: lb.type, hint: 'i' }, ...inits.map((v) => ({ type: v.type }))];
    const { region } = this.region(params, ([iv, ...carried]) => body(iv, carried));
    return this.op('scf.for', [lb, ub, step, ...inits], attrs, [region]);
  }

  /** A branch; both functions yield values of the same types, the results. */
  if(condition: Value, then: () => Yields, otherwise: () => Yields = () => []): readonly Value[] {
    const regions = [this.region([], then).region, this.region([], otherwise).region];
    return this.op('scf.if', [condition], {}, regions);
  }

  /**
   * A loop that runs as long as `before` says so: `before` yields a condition and the values that `after` receives, or
   * that are the results when the condition is false.
   */
  while(
    inits: readonly Value[],
    before: (carried: readonly Value[]) => readonly [condition: Value, ...values: Value[]],
    after: (values: readonly Value[]) => Yields,
  ): readonly Value[] {
    const first = this.region(inits.map(unnamed), before, 'scf.condition');
    const second = this.region(first.yields.slice(1).map(unnamed), after);
    return this.op('scf.while', inits, {}, [first.region, second.region]);
  }

  /** The lanes of a value's type, for code that is generic in them. */
  lanes = (a: Value): number => lanesOf(a.type);
}

const unnamed = (v: Value): { type: Type } => ({ type: v.type });

/** The key of an op that may be shared, else nothing. */
const keyOf = (op: Op, def: OpDef, types: readonly Type[]): string | undefined => {
  const { traits } = def;
  if (types.length === 0 || op.regions.length > 0 || traits.terminator === true || traits.hint === true)
    return undefined;
  if (traits.elementwise !== true && traits.constant !== true && def.effects(op).length > 0) return undefined;
  return opKey(op, traits.commutative === true, types[0]);
};

const list = (yields: Yields): readonly Value[] => (yields === undefined ? [] : isList(yields) ? yields : [yields]);

const isList = (yields: readonly Value[] | Value): yields is readonly Value[] => Array.isArray(yields);

/** Result types of malformed operands may not exist; the verifier then says why. */
const attempt = <T>(f: () => T): T | undefined => {
  try {
    return f();
  } catch (e) {
    if (e instanceof TypeError) return undefined;
    throw e;
  }
};
