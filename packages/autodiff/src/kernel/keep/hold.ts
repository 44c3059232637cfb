import {
  Builder,
  highestId,
  idsFrom,
  isFloat,
  isLoop,
  opWith,
  resolve,
  substituteOperands,
  walk,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { heldIn, type Held, type HoldSetting } from './held.js';

/** An element that has a value when its kernel has ended. */
export interface Settled {
  readonly field: string;
  readonly index: readonly Value[];
}

/** A kernel that holds elements in values. */
export interface Holding {
  readonly kernel: Kernel;
  /** Values, by id, that were read from an element and are what it has in the end. */
  readonly settled: ReadonlyMap<number, Settled>;
}

/**
 * Holds elements that only one iteration touches in values (`heldIn`): each is read where the iteration touches it first, carried through branches and loops, and written where the iteration ends. So derivatives of what is
 * overwritten are those of values, and each adjoint is taken and given back once.
 */
export const holdInValues = (s: HoldSetting): Holding => {
  const b = new Builder(s.table, new Map(), idsFrom(highestId(s.kernel) + 1));
  const settled = new Map<number, Settled>();
  const isParallel = (op: Op): boolean => {
    const control = s.controlOf(op);
    return control !== undefined && isLoop(control) && control.parallel === true;
  };
  const held = (region: Region, loop: Op | undefined, once: boolean): Region => {
    const all = heldIn(region, loop, s);
    if (all.length === 0) return region;
    const holder = new Holder(b, all);
    const { ops } = b.collect(() => holder.run(region));
    if (once)
      for (const [value, { field, index }] of holder.settled(ops))
        if (
          writesOf(s.kernel.body, field) ===
          all.flatMap((h) => (h.field === field ? h.uses : [])).filter(isWrite).length
        )
          settled.set(value, { field, index });
    return { params: region.params, ops };
  };
  const inLoops = (region: Region, once: boolean): Region => {
    const ops = region.ops.map((op) => {
      if (op.regions.length === 0) return op;
      const control = s.controlOf(op);
      const isOnce = once && control !== undefined && !isLoop(control);
      const regions = isParallel(op) ? [held(op.regions[0], op, once)] : op.regions.map((r) => inLoops(r, isOnce));
      return regions.every((r, n) => r === op.regions[n]) ? op : opWith(op, { regions });
    });
    return ops.every((op, n) => op === region.ops[n]) ? region : { params: region.params, ops };
  };
  const body = held(inLoops(s.kernel.body, true), undefined, true);
  return { kernel: body === s.kernel.body ? s.kernel : { ...s.kernel, body }, settled };
};

const isWrite = ({ name }: Op): boolean => name !== 'field.load';

/** How many ops write elements of a field. */
const writesOf = (body: Region, field: string): number => {
  let count = 0;
  walk(body, (op) => {
    if (op.attrs.field === field && isWrite(op)) count++;
  });
  return count;
};

/** What elements are now, by the number of each. */
type Now = Map<number, Value>;

class Holder {
  private readonly numbers = new Map<Op, number>();
  private readonly first: Value[] = [];
  /** Of elements that may be outside of their field, whether they are within. */
  private readonly within = new Map<number, Value>();
  private readonly instead = new Map<number, Value>();
  private readonly read: { readonly n: number; readonly of: Value; readonly as: Value }[] = [];
  private readonly end: Now = new Map();

  constructor(
    private readonly b: Builder,
    private readonly held: readonly Held[],
  ) {
    held.forEach(({ uses }, n) => uses.forEach((op) => this.numbers.set(op, n)));
  }

  run({ ops }: Region): void {
    const now: Now = this.end;
    ops.forEach((op, at) => {
      this.b.loc = op.loc;
      if (at === ops.length - 1) now.forEach((value, n) => this.leave(n, value));
      this.held.forEach(({ from }, n) => from === at && now.set(n, this.begin(n)));
      this.step(op, now);
    });
  }

  /** Values that were read from elements and are what these have in the end, computed by one of these ops, when it was known already which elements these are. */
  settled(ops: readonly Op[]): readonly (readonly [number, Held])[] {
    const made = new Map(ops.flatMap(({ results }, at) => results.map((r) => [r.id, at] as const)));
    const isTold = (n: number, v: Value): boolean =>
      this.index(n).every(({ id }) => (made.get(id) ?? -1) < (made.get(v.id) ?? Infinity));
    return this.read.flatMap(({ n, of, as }): readonly (readonly [number, Held])[] =>
      this.end.get(n)!.id === of.id &&
      of.id !== this.first[n].id &&
      (as.id !== of.id || made.has(of.id)) &&
      isTold(n, as)
        ? [[as.id, this.held[n]]]
        : [],
    );
  }

  private index(n: number): readonly Value[] {
    return this.held[n].index.map((v) => resolve(v, this.instead));
  }

  /** What an element has before the region changes it. */
  private begin(n: number): Value {
    const { field, unsure } = this.held[n];
    const { b } = this;
    this.first[n] = b.value('field.load', this.index(n), { field });
    const inside = unsure.flatMap(({ at, extent }) => {
      const v = resolve(at, this.instead);
      return [b.cmp('ge', v, b.constant(0, v.type)), b.cmp('lt', v, b.constant(extent, v.type))];
    });
    if (inside.length > 0) this.within.set(n, inside.reduce(b.and));
    return this.first[n];
  }

  private leave(n: number, value: Value): void {
    const { field, uses } = this.held[n];
    const written = uses.filter(isWrite);
    if (written.length === 0) return;
    this.b.loc = written[written.length - 1].loc;
    this.b.op('field.store', [value, ...this.index(n)], { field });
  }

  /** What reading an element gives; outside of a field nothing is written. */
  private value(n: number, now: Now): Value {
    const of = now.get(n)!;
    const within = this.within.get(n);
    const as = within && of.id !== this.first[n].id ? this.b.select(within, of, this.first[n]) : of;
    this.read.push({ n, of, as });
    return as;
  }

  /** What is read of an element after a value was written: in a format the nearest number that there is, of which the derivative is 1. */
  private asStored(n: number, value: Value): Value {
    const { format, type } = this.held[n];
    const { b } = this;
    if (!format) return value;
    const rounded = (v: Value): Value => format.emitDecode(b, format.emitEncode(b, v), type);
    if (!isFloat(type)) return rounded(value);
    /* Its bits, of which codes are made, have no derivative. */
    const { region: none } = b.region([{ type }], () => []);
    const { region: same } = b.region([{ type }], (adjoints) => adjoints);
    const bare = b.value('derivative.given', [value], {}, [none]);
    return b.value('derivative.given', [rounded(bare), value], {}, [same]);
  }

  private step(op: Op, now: Now): void {
    const { b } = this;
    b.loc = op.loc;
    const current = substituteOperands(op, this.instead);
    const n = this.numbers.get(op);
    if (n === undefined) {
      b.append(op.regions.length === 0 ? current : this.control(op, current, now));
      return;
    }
    const [result] = op.results;
    if (op.name === 'field.load') return void this.instead.set(result.id, this.value(n, now));
    const [value] = current.operands;
    if (op.name === 'field.store') return void now.set(n, this.asStored(n, value));
    const [kind, before] = [String(op.attrs.kind), now.get(n)!];
    this.instead.set(result.id, this.value(n, now));
    now.set(n, kind === 'exchange' ? value : b.value(`arith.${kind}`, [before, value]));
  }

  /** Elements that an op with regions writes are carried through it. */
  private control(op: Op, current: Op, now: Now): Op {
    const { b } = this;
    const written = new Set<number>();
    for (const region of op.regions)
      walk(region, (inner) => {
        const n = this.numbers.get(inner);
        if (n !== undefined && isWrite(inner)) written.add(n);
      });
    const carried = [...written];
    const fresh = (): readonly Value[] => carried.map((n) => b.newValue(this.held[n].type));
    const isLoop = op.name !== 'scf.if';
    const regions = op.regions.map((region): Region => {
      const within = new Map(now);
      const given = isLoop ? fresh() : [];
      if (isLoop) carried.forEach((n, k) => within.set(n, given[k]));
      const { ops } = b.collect(() => {
        region.ops.forEach((inner, at) => {
          if (at < region.ops.length - 1) return this.step(inner, within);
          const end = substituteOperands(inner, this.instead);
          b.append(opWith(end, { operands: [...end.operands, ...carried.map((n) => within.get(n)!)] }));
        });
      });
      return { params: [...region.params, ...given], ops };
    });
    const before = isLoop ? carried.map((n) => now.get(n)!) : [];
    const after = fresh();
    carried.forEach((n, k) => now.set(n, after[k]));
    return opWith(current, {
      operands: [...current.operands, ...before],
      regions,
      results: [...op.results, ...after],
    });
  }
}
