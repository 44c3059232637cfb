import {
  integerRange,
  type Builder,
  type Op,
  type OpTable,
  type Region,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { elementOf, isSparse, wordsName, type Layout, type PlacedField } from '@filigree/sparse/fields';
import type { Box } from './box.js';
import { isInteger, notInWords, numberValue, scalarOf, type Lane, type Lanes } from './lanes.js';
import { combined } from './rules/combined.js';
import { rules } from './rules/rules.js';
import { isOwn, maskOf, shapeOf, wordsAt, type ArrayShape, type Offset, type Words } from './loads.js';
import { gatesOn, type Gates, type Plane } from './planes.js';
import {
  bitOf,
  constantOf,
  divided,
  planeAt,
  planeOf,
  rangeOfSum,
  selected,
  sumOf,
  within,
  wrapped,
  type Sliced,
  type Term,
} from './sliced.js';

/** A loop over elements, and the cell in which the words of an iteration lie. */
export interface LoopOverBits {
  readonly layout: Layout;
  readonly table: OpTable;
  readonly uses: ReadonlyMap<number, number>;
  readonly ctx: RewriteContext;
  readonly loop: Op;
  readonly shape: ArrayShape;
  readonly cell: readonly Value[];
  /** Where the loop goes through a range, and not through active elements. */
  readonly box?: Box;
}

/** What is to be stored to the own elements of a field, and which of them are stored to. */
interface Pending {
  readonly field: PlacedField;
  readonly x: Sliced;
  readonly taken: Plane;
}

/** Computes all elements of a word, op by op. */
export class WordLoop implements Lanes {
  readonly gates: Gates;
  private readonly words: Words;
  private readonly lanes = new Map<number, Lane>();
  private readonly stores = new Map<string, Pending>();
  private readonly type: 'u32' | 'u64';
  /** Fields that are read at other elements than that of the iteration. */
  private readonly around = new Set<string>();

  constructor(
    private readonly b: Builder,
    private readonly c: LoopOverBits,
  ) {
    this.type = c.shape.wordBits === 64 ? 'u64' : 'u32';
    this.gates = gatesOn(b, this.type);
    this.words = wordsAt(b, c.layout, c.shape, c.cell);
  }

  run(): void {
    const [region] = this.c.loop.regions;
    const { box } = this.c;
    const counted = box?.counted ?? new Map(region.params.map((p, axis) => [p.id, { axis, plus: 0 }]));
    for (const [id, coordinate] of counted) this.lanes.set(id, { is: 'coordinate', ...coordinate });
    this.region(region, box ? this.inside(box) : 1);
    for (const store of this.stores.values()) this.write(store);
  }

  /** The ops of a region, done by the elements of a mask; what it yields. */
  private region(region: Region, taken: Plane): readonly Value[] {
    for (const op of region.ops) {
      this.b.loc = op.loc;
      if (op.name === 'scf.yield') return op.operands;
      this.op(op, taken);
    }
    return [];
  }

  private op(op: Op, taken: Plane): void {
    if (op.name === 'scf.if') return this.branch(op, taken);
    if (op.name === 'scf.for')
      return this.c.box?.loops.includes(op) ? void this.region(op.regions[0], taken) : this.unroll(op, taken);
    if (op.name === 'field.load') return this.set(op, { is: 'sliced', x: this.load(op) });
    if (op.name === 'field.store') return this.store(op, taken);
    if (op.name === 'field.atomic') return this.update(op, taken);
    const lane = rules[op.name]?.(this, op) ?? this.uniform(op);
    this.set(op, lane);
  }

  private set(op: Op, lane: Lane): void {
    this.lanes.set(op.results[0].id, lane);
  }

  lane(v: Value): Lane {
    const known = this.lanes.get(v.id);
    if (known) return known;
    const op = this.c.ctx.definition(v);
    if (op?.name === 'arith.constant' && isInteger(v)) return { is: 'number', n: BigInt(op.attrs.value as number) };
    return { is: 'uniform', value: v };
  }

  sliced(v: Value): Sliced {
    const lane = this.lane(v);
    switch (lane.is) {
      case 'sliced':
        return lane.x;
      case 'number':
        return constantOf(lane.n);
      case 'sum': {
        const bounds = wrapped(rangeOfSum(lane.terms, lane.constant), integerRange(lane.type));
        const x = sumOf(this.gates, lane.terms, lane.constant, bounds);
        this.lanes.set(v.id, { is: 'sliced', x });
        return x;
      }
      case 'coordinate': {
        const own = this.coordinate(lane.axis, lane.plus);
        return lane.around === undefined ? own : divided(this.gates, own, BigInt(lane.around)).rest;
      }
      case 'uniform':
        return this.spread(lane.value);
    }
  }

  /** A value that is the same for all elements, if it is. */
  private same(v: Value): Value | undefined {
    const lane = this.lane(v);
    if (lane.is === 'number') return numberValue(this.b, lane.n, scalarOf(v));
    if (lane.is === 'uniform') return lane.value;
    if (lane.is !== 'coordinate' || this.c.shape.sides[lane.axis] > 1) return undefined;
    const at = axesIn(this.c.layout, this.c.shape).indexOf(this.c.shape.axes[lane.axis]);
    const own = at < 0 ? this.b.i32(lane.plus) : this.b.add(this.c.cell[at], this.b.i32(lane.plus));
    return lane.around === undefined ? own : this.b.rem(own, this.b.i32(lane.around));
  }

  /** The planes of a value that is the same for all: each bit of it, everywhere. */
  private spread(value: Value): Sliced {
    if (value.type === 'i1') return bitOf(this.gates.all(value));
    if (!isInteger(value)) return notInWords(`it computes with ${String(value.type)}`);
    const { b } = this;
    const [lo, hi] = integerRange(scalarOf(value));
    const zero = numberValue(b, 0n, scalarOf(value));
    return within(
      (k) => {
        const bit = b.and(
          value,
          numberValue(b, lo < 0n && k === (hi + 1n).toString(2).length - 1 ? lo : 1n << BigInt(k), scalarOf(value)),
        );
        return this.gates.all(b.cmp('ne', bit, zero));
      },
      { lo, hi },
    );
  }

  /** The number of each element along an axis. */
  private coordinate(axis: number, plus: number): Sliced {
    const { shape, cell, layout } = this.c;
    const side = shape.sides[axis];
    const at = axesIn(layout, shape).indexOf(shape.axes[axis]);
    const planes = (k: number): Plane => {
      const mask = maskOf(shape, (e) => ((e[axis] >> k) & 1) === 1);
      return numberValue(this.b, mask, this.type);
    };
    const own = within(planes, { lo: 0n, hi: BigInt(side - 1) });
    const first = at < 0 ? [] : [this.spread(side === 1 ? cell[at] : this.b.mul(cell[at], this.b.i32(side)))];
    const terms = [own, ...first].map((x): Term => ({ x, negative: false }));
    return sumOf(this.gates, terms, BigInt(plus), wrapped(rangeOfSum(terms, BigInt(plus)), integerRange('i32')));
  }

  /** The elements that lie in a box: all, or along an axis those of a part of the first and last words, and all of the words between. */
  private inside({ sides }: Box): Plane {
    const { b, gates: g } = this;
    const { shape, cell, layout } = this.c;
    const ends = sides.flatMap(({ from, to, extent }, axis) => {
      const side = shape.sides[axis];
      const end = (isIn: (e: number) => boolean, tile: number, beyond: 'gt' | 'lt'): Plane => {
        const mask = numberValue(
          b,
          maskOf(shape, (at) => isIn(tile * side + at[axis])),
          this.type,
        );
        const at = axesIn(layout, shape).indexOf(shape.axes[axis]);
        if (at < 0) return mask;
        const is = (predicate: 'gt' | 'eq' | 'lt'): Value => b.cmp(predicate, cell[at], b.i32(tile));
        return g.or(g.all(is(beyond)), g.and(g.all(is('eq')), mask));
      };
      return [
        ...(from > 0 ? [end((e) => e >= from, Math.floor(from / side), 'gt')] : []),
        ...(to < extent ? [end((e) => e < to, Math.floor((to - 1) / side), 'lt')] : []),
      ];
    });
    return ends.reduce(g.and, 1);
  }

  /** An op on values that are the same for all elements. */
  private uniform(op: Op): Lane {
    const def = this.c.table.get(op.name);
    const given = op.operands.map((v) => this.same(v));
    const pure = def && op.regions.length === 0 && op.results.length === 1 && def.effects(op).length === 0;
    if (op.name === 'mem.atomic') return notInWords('it puts together numbers of all elements');
    if (!pure || given.some((v) => v === undefined)) return notInWords(`it has ${op.name}`);
    const types = op.results.map((r) => r.type);
    const [value] = this.b.op(op.name, given as readonly Value[], op.attrs, [], types);
    return { is: 'uniform', value };
  }

  /** Both sides of a branch: what they give is selected, and what they store is stored by those that take them. */
  private branch(op: Op, taken: Plane): void {
    const c = planeOf(this.sliced(op.operands[0]));
    const [yes, no] = op.regions;
    const x = this.region(yes, this.gates.and(taken, c));
    const y = this.region(no, this.gates.and(taken, this.gates.not(c)));
    op.results.forEach((r, n) => {
      if (!isInteger(r)) notInWords(`a branch gives ${String(r.type)}`);
      this.lanes.set(r.id, { is: 'sliced', x: selected(this.gates, c, this.sliced(x[n]), this.sliced(y[n])) });
    });
  }

  /** A short loop, iteration by iteration. */
  private unroll(op: Op, taken: Plane): void {
    const [from, to, step] = op.operands.slice(0, 3).map((v) => {
      const lane = this.lane(v);
      return lane.is === 'number' ? Number(lane.n) : notInWords('it has a loop of a length that is not known');
    });
    if (step <= 0 || (to - from) / step > MOST) notInWords(`it has a loop of more than ${MOST} iterations`);
    const [{ params }] = op.regions;
    let carried = op.operands.slice(3).map((v) => this.lane(v));
    for (let n = from; n < to; n += step) {
      this.lanes.set(params[0].id, { is: 'number', n: BigInt(n) });
      carried.forEach((lane, k) => this.lanes.set(params[k + 1].id, lane));
      carried = this.region(op.regions[0], taken).map((v) => this.lane(v));
    }
    op.results.forEach((r, k) => this.lanes.set(r.id, carried[k]));
  }

  /** The element of a field that an op is about: in a word as those of the loop, at a constant distance. */
  private element(op: Op): { readonly field: PlacedField; readonly offsets: readonly Offset[] } {
    const { layout, shape } = this.c;
    const { placed, index } = elementOf(layout, op)!;
    const { name } = placed.field;
    const leaf = layout.nodes[placed.path[placed.path.length - 1]];
    const own = shapeOf(layout, layout.nodes[leaf.parent]);
    if (!own) return notInWords(`field '${name}' lies in no bit array`);
    const isAlike =
      own.axes.join() === shape.axes.join() &&
      own.sides.join() === shape.sides.join() &&
      own.strides.join() === shape.strides.join() &&
      own.bits === shape.bits &&
      own.wordBits === shape.wordBits &&
      axesIn(layout, own).join() === axesIn(layout, shape).join();
    if (!isAlike) return notInWords(`elements of field '${name}' lie in words otherwise than those of the loop`);
    if (leaf.stored!.format.name !== 'int')
      return notInWords(`field '${name}' is stored as ${leaf.stored!.format.name}`);
    const offsets = index.map((v, axis) => {
      const lane = this.lane(v);
      return lane.is === 'coordinate' && lane.axis === axis
        ? { by: lane.plus, ...(lane.around !== undefined && { around: lane.around }) }
        : notInWords(`field '${name}' is read or written at no constant distance`);
    });
    return { field: placed, offsets };
  }

  private load(op: Op): Sliced {
    const { field, offsets } = this.element(op);
    const { name } = field.field;
    if (!offsets.every(isOwn)) this.around.add(name);
    const stored = this.stores.get(name);
    if (stored && this.around.has(name)) notInWords(`it reads field '${name}' around an element that it writes`);
    return stored ? stored.x : this.read(field, offsets);
  }

  private read(field: PlacedField, offsets: readonly Offset[]): Sliced {
    const word = this.words.load(field, offsets);
    const { bits } = this.c.shape;
    const constant = (k: number): Value => numberValue(this.b, BigInt(k), this.type);
    return within((k) => (k === 0 ? word : this.b.shr(word, constant(k))), this.boundsOf(field, bits));
  }

  private boundsOf(field: PlacedField, bits: number): { readonly lo: bigint; readonly hi: bigint } {
    const n = BigInt(bits);
    return this.isSigned(field) ? { lo: -(1n << (n - 1n)), hi: (1n << (n - 1n)) - 1n } : { lo: 0n, hi: (1n << n) - 1n };
  }

  private isSigned({ path }: PlacedField): boolean {
    return this.c.layout.nodes[path[path.length - 1]].stored!.format.attrs.signed !== false;
  }

  private store(op: Op, taken: Plane): void {
    const field = this.own(op);
    this.put(field, this.sliced(op.operands[0]), taken);
  }

  /** An atomic operation on the own element, which no other iteration touches: what it was is read, and what comes of it is stored. */
  private update(op: Op, taken: Plane): void {
    const field = this.own(op);
    const combine = combined[String(op.attrs.kind)] ?? notInWords(`it has atomic ${String(op.attrs.kind)}`);
    const old = this.load(op);
    const given = this.sliced(op.operands[0]);
    this.put(field, combine(this.gates, old, given, scalarOf(op.operands[0])), taken);
    this.set(op, { is: 'sliced', x: old });
  }

  /** The field of which an op writes the own element. */
  private own(op: Op): PlacedField {
    const { field, offsets } = this.element(op);
    const { name } = field.field;
    if (!offsets.every(isOwn)) notInWords(`it writes field '${name}' at another element than its own`);
    if (this.around.has(name)) notInWords(`it reads field '${name}' around an element that it writes`);
    if (op.attrs.activate === false) notInWords(`it writes field '${name}' where it is active`);
    return field;
  }

  /** What is stored to the own elements of a field that a mask takes. */
  private put(field: PlacedField, given: Sliced, taken: Plane): void {
    const { name } = field.field;
    /* Stores wrap. */
    const x = within((k) => planeAt(given, k), this.boundsOf(field, this.c.shape.bits));
    const before = this.stores.get(name);
    const own = this.c.shape.axes.map(() => ({ by: 0 }));
    const old = taken === 1 ? undefined : (before?.x ?? this.read(field, own));
    this.stores.set(name, {
      field,
      x: old ? { ...x, planes: x.planes.map((p, k) => this.gates.select(taken, p, planeAt(old, k))) } : x,
      taken: before ? this.gates.or(before.taken, taken) : taken,
    });
  }

  /** Stores the word of a field; where it is not active yet, only if an element is stored to. */
  private write({ field, x, taken }: Pending): void {
    const { b, gates: g } = this;
    const { layout, shape, cell } = this.c;
    const put = (): void => void b.op('field.store', [this.wordOf(x), ...cell], { field: wordsName(field.field) });
    const around = layout.nodes[layout.nodes[field.path[field.path.length - 2]].parent];
    const mayBeInactive = around.id !== shape.around.id && field.path.some((n) => isSparse(layout.nodes[n]));
    if (taken === 1 || !mayBeInactive) return put();
    const those = b.and(
      g.word(taken),
      numberValue(
        b,
        maskOf(shape, () => true),
        this.type,
      ),
    );
    b.if(b.cmp('ne', those, numberValue(b, 0n, this.type)), put);
  }

  private wordOf({ planes }: Sliced): Value {
    const { b, gates: g } = this;
    const { shape } = this.c;
    const mask = maskOf(shape, () => true);
    const whole = this.type === 'u64' ? 2n ** 64n - 1n : 2n ** 32n - 1n;
    return planes
      .map((plane, k) => {
        const word = g.word(plane);
        const own = mask === whole ? word : b.and(word, numberValue(b, mask, this.type));
        return k === 0 ? own : b.shl(own, numberValue(b, BigInt(k), this.type));
      })
      .reduce(b.or);
  }

  terms(v: Value, negative: boolean): { readonly terms: readonly Term[]; readonly constant: bigint } {
    const lane = this.lane(v);
    if (lane.is === 'number') return { terms: [], constant: negative ? -lane.n : lane.n };
    if (lane.is === 'sum' && (this.c.uses.get(v.id) ?? 0) <= 1)
      return negative
        ? { terms: lane.terms.map((t) => ({ ...t, negative: !t.negative })), constant: -lane.constant }
        : lane;
    return { terms: [{ x: this.sliced(v), negative }], constant: 0n };
  }

  extentOf(axis: number): number | undefined {
    const { layout, shape } = this.c;
    const of = shape.axes[axis];
    let extent = 1;
    for (let id = shape.array.id; id > 0; id = layout.nodes[id].parent) {
      const node = layout.nodes[id];
      if (!node.axes.includes(of)) continue;
      if (node.kind === 'hash') return undefined;
      extent *= node.extents[of];
    }
    return extent;
  }

  varying(op: Op): boolean {
    return op.operands.some((v) => this.same(v) === undefined);
  }
}

/** Iterations of a loop that is written out. */
const MOST = 64;

const axesIn = (layout: Layout, { around }: ArrayShape): readonly number[] =>
  layout.nodes[0].extents.flatMap((_, axis) => (isSplit(layout, around.id, axis) ? [axis] : []));

const isSplit = (layout: Layout, node: number, axis: number): boolean =>
  node > 0 && (layout.nodes[node].axes.includes(axis) || isSplit(layout, layout.nodes[node].parent, axis));
