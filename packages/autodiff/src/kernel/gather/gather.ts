import {
  Builder,
  controlBy,
  highestId,
  idsFrom,
  isFloat,
  isLoop,
  makeOp,
  makeValue,
  opWith,
  type Buffer,
  type IdSource,
  type Kernel,
  type Op,
  type OpTable,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { isFunction } from '@filigree/opt';
import { type Layout } from '@filigree/sparse/fields';
import { boxLoop, boxOf } from '@filigree/sparse/lowering';
import { additionsOf, type Addition } from '../elements/additions.js';
import { ANY_ORDER, isEdge } from './any-order.js';
import { asNest } from './as-nest.js';
import { clone } from '../clone.js';
import { digitsOf, type Digits } from '../indices/digits.js';
import { gatheredInside } from './gather-inside.js';
import { keptApart, type Dear } from './kept-apart.js';
import { integerForms } from '../indices/integer-forms.js';
import { coordinatesOf } from '../elements/touched.js';
import { sumsApart } from './sums-apart.js';
import { summedOverNest } from './sums-over-nests.js';
import { isTaps } from './same.js';
import { cutNestOf, MOST_OPS, nestOf, nestsOf, type Nest } from './whole-nests.js';

/**
 * Turns sums into neighbours round: where all iterations of a parallel loop over a whole box add to elements at constant distances, `s[(i + 1) % n][j] += f(i, j)`, each element is given instead
 * what its neighbours would have added, `s[i][j] += f((i + n - 1) % n, j)`. So nothing is atomic, and the loop is one for vector lanes. What iterations set to a constant thereafter, as
 * adjoints that were taken, is set in a loop of its own. The box may be one loop or several within one another, and a slice of a field that all iterations name alike, `s[t][i][j]`.
 *
 * Boxes that do not go round are `gatheredInside`; where indices are kept within a field by `min` and `max`, the inner part of the box, in which these do nothing (`cutNestOf`). What loops hand on beside, as the derivative
 * by an argument, is summed up by a loop of its own before (`sumsApart`); and what would be computed anew for each neighbour, and is dear, is kept by one (`keptApart`).
 *
 * Takes an adjoint kernel on fields, and leaves the same sums, in another order.
 */
export const gatherStencils = (
  kernel: Kernel,
  table: OpTable,
  layout: Layout,
  known: readonly Buffer[],
): { readonly kernel: Kernel; readonly buffers: readonly Buffer[] } => {
  const buffers: Buffer[] = [];
  const ids = idsFrom(highestId(kernel) + 1);
  const controlOf = controlBy(table);
  const coordinate = coordinatesOf(kernel);
  const forms = integerForms(kernel, layout);
  const extentsOf = (field: string): readonly number[] | undefined => {
    const { extents, unbounded } = layout.fields.get(field)!;
    return unbounded ? undefined : extents;
  };
  const constants = new Map<number, Scalar>();
  const know = ({ name, attrs, results }: Op): void => {
    if (name === 'arith.constant') constants.set(results[0].id, attrs.value as Scalar);
  };
  kernel.body.ops.forEach(know);
  /* What is left may keep something, too. */
  const names = new Set(known.map((buffer) => buffer.name));
  const nameOf = (): string => {
    for (let n = names.size; ; n++) {
      const name = `${kernel.name}_between_${n}`;
      if (!names.has(name)) return (names.add(name), name);
    }
  };
  /* What is dear is kept first. */
  const keptFirst = (op: Op, dear: Dear): readonly Op[] | undefined => {
    const setting = { table, ids, constants, forms };
    for (const straight of op.operands.length > 3 ? [] : nestsOf(op, setting)) {
      const apart = keptApart(straight, setting, layout, nameOf, dear);
      if (!apart) continue;
      const bounds = apart.rest.slice(0, -1);
      bounds.forEach(know);
      const rest = turned(apart.rest[apart.rest.length - 1]);
      if (!rest) continue;
      buffers.push(...apart.buffers);
      return [...apart.first, ...bounds, ...rest];
    }
    return undefined;
  };
  const turned = (op: Op): readonly Op[] | undefined =>
    keptFirst(op, { isDear, areMany: takeLonger }) ??
    turnedAsIs(op) ??
    keptFirst(op, { isDear: () => false, areMany: (ops) => ops > MOST_OPS_AGAIN }) ??
    turnedAsNest(op);
  const turnedAsNest = (op: Op): readonly Op[] | undefined => {
    const nest = asNest(op, constants, table, ids);
    const bounds = nest?.slice(0, -1) ?? [];
    bounds.forEach(know);
    const rest = nest && turned(nest[nest.length - 1]);
    return rest && [...bounds, ...rest];
  };
  const turnedAsIs = (op: Op): readonly Op[] | undefined => {
    const apart = sumsApart(op, table, ids);
    const setting = { table, ids, constants, forms };
    const rest = apart && turned(apart.rest);
    if (rest) return [...(summedOverNest(apart.sums, setting) ?? [apart.sums]), ...rest];
    if (op.operands.length > 3) return undefined;
    const inside = (some: Nest): readonly Op[] | undefined =>
      gatheredInside(some, { table, ids, constants, coordinate, extentsOf });
    for (const straight of nestsOf(op, setting)) {
      const nest = nestOf(straight, setting);
      const goesRound = nest && !nest.hasBranches && !nest.isNarrowed && !nest.ops.some(isTaps);
      const inPlace = (goesRound ? gathered(nest, table, ids, constants) : undefined) ?? (nest && inside(nest));
      if (inPlace) return inPlace;
      const cut = cutNestOf(straight, setting);
      const middle = cut && inside(cut.inner);
      if (middle) return [...middle, ...cut.edges];
    }
    return undefined;
  };
  const ops = kernel.body.ops.flatMap((op) => {
    const control = controlOf(op);
    if (!control || !isLoop(control) || control.parallel !== true || isEdge(op)) return [op];
    if (op.name === 'scf.for') return turned(op) ?? [op];
    /* All elements of a plain array are a box. */
    const extents = boxOf(layout, op);
    if (!extents) return [op];
    const box = boxLoop(op, extents, new Builder(table, new Map(), ids), ANY_ORDER);
    const bounds = box.slice(0, -1);
    bounds.forEach(know);
    const inTurn = turned(box[box.length - 1]);
    return inTurn ? [...bounds, ...inTurn] : [op];
  });
  const isSame = ops.length === kernel.body.ops.length && ops.every((op, n) => op === kernel.body.ops[n]);
  return { kernel: isSame ? kernel : { ...kernel, body: { ...kernel.body, ops } }, buffers };
};

/** What takes longer than to keep its result and to read it again: loops, functions, and roots and quotients, which follow each other in derivatives. Where all iterations divide by one number there is no quotient. */
const isDear: Dear['isDear'] = (op, reads) =>
  op.name === 'scf.for' ||
  isFunction(op) ||
  op.name === 'math.sqrt' ||
  (op.name === 'arith.div' && isFloat(op.results[0].type) && reads(op.operands[1]));

/** Whether so many ops take longer, once for each neighbour but one, than to keep what they give and to read it again for each. */
const takeLonger: Dear['areMany'] = (ops, sums) => (sums - 1) * ops > 2 * (4 + sums);

/** Of how many ops what is kept is made at least, where there is another way. */
const MOST_OPS_AGAIN = 12;

/** As `MOST_OPS`, where sums are no atomics as it is, and only lanes are won. */
const MOST_OPS_OF_PLAIN = 12;

const gathered = (
  nest: Nest,
  table: OpTable,
  ids: IdSource,
  constants: ReadonlyMap<number, Scalar>,
): readonly Op[] | undefined => {
  const { loops, ops } = nest;
  const digits = digitsOf(loops, ops, constants);
  if (!digits) return undefined;
  const body = new Body(ops, table, digits, constants);
  const targets = body.targets();
  if (targets.size === 0) return undefined;

  const removed = new Set<Op>([...targets.values()].flat().flatMap(({ ops }) => ops));
  const deferred = new Set<Op>([...targets.values()].flat().flatMap(({ deferred }) => deferred));
  const added: Op[] = [];
  for (const [field, sums] of targets) {
    const own = sums[0].places.map((place) => ('digit' in place ? place.digit : place.fixed));
    const terms = sums.map(({ value, places }) => {
      const shifts = shiftsOf(places);
      if (shifts.every((s) => s.by === 0)) return value;
      const moved = new Map<number, Value>();
      /* Where what lies here was added from. */
      for (const { digit, by, extent } of shifts)
        if (by !== 0) moved.set(digit.id, shifted(added, ids, digit, extent - by, extent));
      return body.cloned(value, moved, added, ids);
    });
    const { attrs, loc } = sums[0].ops[0];
    const { kind: _, activate: __, ...place } = attrs;
    const before = result(added, ids, makeOp('field.load', own, [], { ...place, field }, [], loc), terms[0]);
    const sum = [...terms].reduce(
      (all, term) => result(added, ids, makeOp('arith.add', [all, term], [], {}, [], loc), all),
      before,
    );
    added.push(makeOp('field.store', [sum, ...own], [], { ...place, field, activate: false }, [], loc));
  }
  const end = ops[ops.length - 1];
  const kept = ops.slice(0, -1).filter((op) => !removed.has(op) && !deferred.has(op));
  const first = nested(nest, [...kept, ...added, end], table, digits, ids);
  return deferred.size === 0 ? [first] : [first, nested(nest, body.only([...deferred]), table, digits, ids)];
};

/** The nest with other ops in it, which are made anew. Where iterations touch elements of their own alone, the innermost loop is one for lanes. */
const nested = ({ loops, ops: all }: Nest, ops: readonly Op[], table: OpTable, digits: Digits, ids: IdSource): Op => {
  const moved = new Map<number, Value>();
  const fresh = loops.map(({ regions: [{ params }] }) => params.map((p) => makeValue(ids.next(), p.type, p.hint)));
  loops.forEach(({ regions: [{ params }] }, n) => params.forEach((p, k) => moved.set(p.id, fresh[n][k])));
  /* The bounds of each loop, which are numbers, before it; those of the outermost are there. */
  const bounds = loops.map((loop, n) => {
    const made: Op[] = [];
    const known = new Map<number, Value>();
    const numbers = new Set(n === 0 ? [] : loop.operands.map((v) => v.id));
    for (const op of all) if (op.results.some((r) => numbers.has(r.id))) clone(op, known, made, ids);
    return { made, operands: loop.operands.map((v) => known.get(v.id) ?? v) };
  });
  const inside: Op[] = [];
  for (const op of ops) clone(op, moved, inside, ids);
  const end = ops[ops.length - 1];
  return loops.reduceRight<readonly Op[]>((within, loop, n) => {
    const innermost = n === loops.length - 1;
    const attrs = innermost && n > 0 && touchesOwn(ops, table, digits) ? { ...loop.attrs, simd: true } : loop.attrs;
    const region = { params: fresh[n], ops: innermost ? inside : [...within, end] };
    return [...bounds[n].made, opWith(loop, { operands: bounds[n].operands, attrs, regions: [region] })];
  }, [])[0];
};

/** Whether iterations write elements of their own alone, and read no others of what they write. */
const touchesOwn = (ops: readonly Op[], table: OpTable, digits: Digits): boolean => {
  const isOwn = ownIndices(digits, ops, table);
  const stored = new Set(ops.flatMap((op) => (op.name === 'field.store' ? [op.attrs.field] : [])));
  return ops.every(({ name, attrs, operands }) =>
    name === 'field.store'
      ? isOwn(operands.slice(1))
      : name === 'field.load'
        ? !stored.has(attrs.field) || isOwn(operands)
        : !name.startsWith('field.') && !name.startsWith('mem.'),
  );
};

/** Whether an index is that of an element which no other iteration of the box has. */
const ownIndices = (digits: Digits, ops: readonly Op[], table: OpTable): ((index: readonly Value[]) => boolean) => {
  const placed = placesIn(digits, ops, table);
  return (index) => {
    const places = placed(index);
    return places !== undefined && shiftsOf(places).every((s) => s.by === 0);
  };
};

/** Where indices lie by the digits of a box; nothing where these do not tell the iteration. */
const placesIn = (
  digits: Digits,
  ops: readonly Op[],
  table: OpTable,
): ((index: readonly Value[]) => readonly Place[] | undefined) => {
  const changing = new Set(digits.values.map((v) => v.id));
  for (const op of ops) {
    /* What is made of nothing that changes is the same for all iterations; what memory holds may change. */
    const changes = op.operands.some((v) => changing.has(v.id) || digits.isMade(v));
    if (changes || op.regions.length > 0 || table.get(op.name)!.effects(op).length > 0)
      for (const r of op.results) changing.add(r.id);
  }
  return (index) => {
    const fixed = (v: Value): Place | undefined => (changing.has(v.id) || digits.isMade(v) ? undefined : { fixed: v });
    const places = index.map((v) => digits.shiftOf(v) ?? fixed(v));
    if (!places.every((place) => place !== undefined)) return undefined;
    const shifts = shiftsOf(places);
    const told = new Set(shifts.map((s) => s.digit.id));
    return told.size === digits.count && shifts.length === told.size ? places : undefined;
  };
};

const shiftsOf = (places: readonly Place[]): readonly Shift[] => places.filter((place) => 'digit' in place);

/** A sum that can be turned round. */
interface Sum extends Addition {
  readonly places: readonly Place[];
  /** Stores that must wait until all elements have been given what they get. */
  readonly deferred: readonly Op[];
}

/** One coordinate of an element: so far from a digit of the iteration, or the same for all. */
type Place = Shift | { readonly fixed: Value };

interface Shift {
  readonly digit: Value;
  readonly by: number;
  readonly extent: number;
}

class Body {
  readonly definitions = new Map<number, Op>();
  private readonly positions: ReadonlyMap<Op, number>;
  readonly uses = new Map<number, number>();
  private readonly placed: (index: readonly Value[]) => readonly Place[] | undefined;
  private readonly isOwn: (index: readonly Value[]) => boolean;

  constructor(
    private readonly ops: readonly Op[],
    private readonly table: OpTable,
    private readonly digits: Digits,
    /** Those that are there before the loops. */
    private readonly constants: ReadonlyMap<number, Scalar>,
  ) {
    for (const op of ops) {
      for (const r of op.results) this.definitions.set(r.id, op);
      for (const v of op.operands) this.uses.set(v.id, (this.uses.get(v.id) ?? 0) + 1);
    }
    this.positions = new Map(ops.map((op, n) => [op, n]));
    this.placed = placesIn(digits, ops, table);
    this.isOwn = ownIndices(digits, ops, table);
  }

  /** The fields that are added to in this way and no other, with the sums. */
  targets(): ReadonlyMap<string, readonly Sum[]> {
    const fields = new Map<string, Op[]>();
    for (const op of this.ops)
      if (typeof op.attrs.field === 'string') fields.set(op.attrs.field, [...(fields.get(op.attrs.field) ?? []), op]);
    const found = new Map<string, readonly Sum[]>();
    for (const [field, all] of fields) {
      const sums = additionsOf(all, this)?.map((a) => this.sumOf(a, fields));
      if (sums?.every((s) => s !== undefined) && areOfOneSlice(sums) && !areAtOnce(sums)) found.set(field, sums);
    }
    return found;
  }

  private sumOf(addition: Addition, fields: ReadonlyMap<string, readonly Op[]>): Sum | undefined {
    const places = this.placed(addition.index);
    if (!places) return undefined;
    const deferred: Op[] = [];
    if (shiftsOf(places).every((s) => s.by === 0)) return { ...addition, places, deferred };
    const cone = this.cone(addition.value);
    if (!cone || cone.length > (addition.ops.length > 1 ? MOST_OPS_OF_PLAIN : MOST_OPS)) return undefined;
    for (const read of cone) {
      const field = read.attrs.field as string | undefined;
      const touching = field === undefined ? [] : fields.get(field)!;
      for (const other of touching) {
        if (other.name === 'field.load') continue;
        const waits =
          other.name === 'field.store' &&
          this.isNumber(other.operands[0]) &&
          this.isOwn(other.operands.slice(1)) &&
          touching.every((o) => o === other || this.positions.get(o)! < this.positions.get(other)!);
        if (!waits) return undefined;
        deferred.push(other);
      }
    }
    return { ...addition, places, deferred };
  }

  private isNumber(v: Value): boolean {
    return this.constants.has(v.id) || this.definitions.get(v.id)?.name === 'arith.constant';
  }

  /** What a value is computed from, in order, down to digits; nothing where it cannot be computed elsewhere too. */
  private cone(value: Value): readonly Op[] | undefined {
    const found = new Set<Op>();
    const visit = (v: Value): boolean => {
      if (this.digits.has(v)) return true;
      if (this.digits.isMade(v)) return false;
      const op = this.definitions.get(v.id);
      if (!op || found.has(op)) return true;
      const effects = this.table.get(op.name)!.effects(op);
      const isLoad = op.name === 'field.load';
      if (effects.length > 0 && !isLoad) return false;
      found.add(op);
      return op.operands.every(visit);
    };
    if (!visit(value)) return undefined;
    return [...found].sort((a, b) => this.positions.get(a)! - this.positions.get(b)!);
  }

  /** Computes a value again where digits are others. */
  cloned(value: Value, moved: Map<number, Value>, into: Op[], ids: IdSource): Value {
    for (const op of this.cone(value) ?? []) clone(op, moved, into, ids);
    return moved.get(value.id) ?? value;
  }

  /** Some of the ops, what these need, and the end. */
  only(wanted: readonly Op[]): readonly Op[] {
    const needed = new Set<Op>();
    const visit = (op: Op): void => {
      if (needed.has(op)) return;
      needed.add(op);
      for (const v of op.operands) {
        const made = this.definitions.get(v.id);
        if (made) visit(made);
      }
    };
    wanted.forEach(visit);
    return [...this.ops.filter((op) => needed.has(op)), this.ops[this.ops.length - 1]];
  }
}

/** Whether what all iterations name alike is the same in all sums, and at the same axes. */
const areOfOneSlice = ([first, ...others]: readonly Sum[]): boolean =>
  others.every(({ places }) =>
    places.every((place, n) => {
      const at = first.places[n];
      return 'fixed' in place
        ? 'fixed' in at && at.fixed.id === place.fixed.id
        : 'digit' in at && at.digit.id === place.digit.id;
    }),
  );

/** Whether each iteration adds to its own element alone, without atomics: there is nothing to turn round. */
const areAtOnce = (sums: readonly Sum[]): boolean =>
  sums.every(({ ops, places }) => ops.length > 1 && shiftsOf(places).every((s) => s.by === 0));

/** A digit by a distance further, going round. */
const shifted = (into: Op[], ids: IdSource, digit: Value, by: number, extent: number): Value => {
  const constant = (value: number): Value =>
    result(into, ids, makeOp('arith.constant', [], [], { value }, [], undefined), digit);
  const sum = result(into, ids, makeOp('arith.add', [digit, constant(by)], [], {}, [], undefined), digit);
  return result(into, ids, makeOp('arith.rem', [sum, constant(extent)], [], {}, [], undefined), digit);
};

/** Appends an op with one result of the type of another value. */
const result = (into: Op[], ids: IdSource, op: Op, like: Value): Value => {
  const value = makeValue(ids.next(), like.type, undefined);
  into.push(opWith(op, { results: [value] }));
  return value;
};
