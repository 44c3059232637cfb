import {
  controlBy,
  highestId,
  idsFrom,
  isLoop,
  makeOp,
  makeValue,
  opWith,
  type IdSource,
  type Kernel,
  type Op,
  type OpTable,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { runsInAnyOrder } from './any-order.js';
import { digitsOf, type Digits } from './digits.js';

/**
 * Turns sums into neighbours round: where all iterations of a parallel loop over a whole box add to elements at constant distances, `s[(i + 1) % n][j] += f(i, j)`, each element is given instead
 * what its neighbours would have added, `s[i][j] += f((i + n - 1) % n, j)`. So nothing is atomic, and the loop is one for vector lanes. What iterations set to a constant thereafter, as
 * adjoints that were taken, is set in a loop of its own. The box may be one loop or several within one another.
 *
 * Takes an adjoint kernel on fields, and leaves the same sums, in another order.
 */
export const gatherStencils = (kernel: Kernel, table: OpTable): Kernel => {
  const ids = idsFrom(highestId(kernel) + 1);
  const controlOf = controlBy(table);
  const constants = new Map<number, Scalar>();
  for (const { name, attrs, results } of kernel.body.ops)
    if (name === 'arith.constant') constants.set(results[0].id, attrs.value as Scalar);
  const ops = kernel.body.ops.flatMap((op) => {
    const control = controlOf(op);
    const isBox = control && isLoop(control) && control.parallel === true && op.name === 'scf.for';
    return (isBox && op.operands.length === 3 && gathered(op, table, ids, constants)) || [op];
  });
  return ops.length === kernel.body.ops.length && ops.every((op, n) => op === kernel.body.ops[n])
    ? kernel
    : { ...kernel, body: { ...kernel.body, ops } };
};

/** What an element is given once is computed by so many ops at most, else summing by atomics is cheaper. */
const MOST_OPS = 40;

const gathered = (
  loop: Op,
  table: OpTable,
  ids: IdSource,
  constants: ReadonlyMap<number, Scalar>,
): readonly Op[] | undefined => {
  const nest = nestOf(loop, table);
  if (!nest) return undefined;
  const { loops, ops } = nest;
  const digits = digitsOf(loops, ops, constants);
  if (!digits) return undefined;
  const body = new Body(ops, table, digits);
  const targets = body.targets();
  if (targets.size === 0) return undefined;

  const removed = new Set<Op>([...targets.values()].flat().map(({ op }) => op));
  const deferred = new Set<Op>([...targets.values()].flat().flatMap(({ deferred }) => deferred));
  const added: Op[] = [];
  for (const [field, sums] of targets) {
    const own = ownIndex(sums[0].op, digits);
    const terms = sums.map(({ op, shifts }) => {
      const [value] = op.operands;
      if (shifts.every((s) => s.by === 0)) return value;
      const moved = new Map<number, Value>();
      /* Where what lies here was added from. */
      for (const { digit, by, extent } of shifts)
        if (by !== 0) moved.set(digit.id, shifted(added, ids, digit, extent - by, extent));
      return body.cloned(value, moved, added, ids);
    });
    const { attrs, loc } = sums[0].op;
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
  const first = nested(nest, [...kept, ...added, end], digits, ids);
  return deferred.size === 0 ? [first] : [first, nested(nest, body.only([...deferred]), digits, ids)];
};

/** Loops within one another, and what is in the innermost of them. */
interface Nest {
  readonly loops: readonly Op[];
  /** What is in them all, as if it were in the innermost. */
  readonly ops: readonly Op[];
}

/** The nest that a loop is; nothing where there is more in it than one loop, whose iterations may run in any order, and what this needs. */
const nestOf = (loop: Op, table: OpTable): Nest | undefined => {
  const [{ ops }] = loop.regions;
  const at = ops.findIndex((op) => op.regions.length > 0);
  if (at < 0) return { loops: [loop], ops };
  const before = ops.slice(0, at);
  if (at !== ops.length - 2 || !runsInAnyOrder(ops[at])) return undefined;
  if (before.some((op) => table.get(op.name)!.effects(op).length > 0)) return undefined;
  const inner = nestOf(ops[at], table);
  return inner && { loops: [loop, ...inner.loops], ops: [...before, ...inner.ops] };
};

/** The nest with other ops in it, which are made anew. Where iterations touch elements of their own alone, the innermost loop is one for lanes. */
const nested = ({ loops, ops: all }: Nest, ops: readonly Op[], digits: Digits, ids: IdSource): Op => {
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
    const attrs = innermost && n > 0 && touchesOwn(ops, digits) ? { ...loop.attrs, simd: true } : loop.attrs;
    const region = { params: fresh[n], ops: innermost ? inside : [...within, end] };
    return [...bounds[n].made, opWith(loop, { operands: bounds[n].operands, attrs, regions: [region] })];
  }, [])[0];
};

/** Whether iterations write elements of their own alone, and read no others of what they write. */
const touchesOwn = (ops: readonly Op[], digits: Digits): boolean => {
  const isOwn = (index: readonly Value[]): boolean => isOwnIndex(index, digits);
  const stored = new Set(ops.flatMap((op) => (op.name === 'field.store' ? [op.attrs.field] : [])));
  return ops.every(({ name, attrs, operands }) =>
    name === 'field.store'
      ? isOwn(operands.slice(1))
      : name === 'field.load'
        ? !stored.has(attrs.field) || isOwn(operands)
        : !name.startsWith('field.') && !name.startsWith('mem.'),
  );
};

const isOwnIndex = (index: readonly Value[], digits: Digits): boolean => {
  const shifts = index.map((v) => digits.shiftOf(v));
  return shifts.every((s) => s?.by === 0) && new Set(shifts.map((s) => s!.digit.id)).size === digits.count;
};

/** An atomic sum that can be turned round. */
interface Sum {
  readonly op: Op;
  readonly shifts: readonly Shift[];
  /** Stores that must wait until all elements have been given what they get. */
  readonly deferred: readonly Op[];
}

interface Shift {
  readonly digit: Value;
  readonly by: number;
  readonly extent: number;
}

class Body {
  private readonly definitions = new Map<number, Op>();
  private readonly positions: ReadonlyMap<Op, number>;

  constructor(
    private readonly ops: readonly Op[],
    private readonly table: OpTable,
    private readonly digits: Digits,
  ) {
    for (const op of ops) for (const r of op.results) this.definitions.set(r.id, op);
    this.positions = new Map(ops.map((op, n) => [op, n]));
  }

  /** The fields that are added to in this way and no other, with the sums. */
  targets(): ReadonlyMap<string, readonly Sum[]> {
    const fields = new Map<string, Op[]>();
    for (const op of this.ops)
      if (typeof op.attrs.field === 'string') fields.set(op.attrs.field, [...(fields.get(op.attrs.field) ?? []), op]);
    const used = new Set(this.ops.flatMap((op) => op.operands.map((v) => v.id)));
    const found = new Map<string, readonly Sum[]>();
    for (const [field, all] of fields) {
      if (!all.every((op) => isSum(op) && !used.has(op.results[0].id))) continue;
      const sums = all.map((op) => this.sumOf(op, fields));
      if (sums.every((s) => s !== undefined)) found.set(field, sums);
    }
    return found;
  }

  private sumOf(op: Op, fields: ReadonlyMap<string, readonly Op[]>): Sum | undefined {
    const shifts = op.operands.slice(1).map((v) => this.digits.shiftOf(v));
    if (!shifts.every((s) => s !== undefined) || new Set(shifts.map((s) => s.digit.id)).size !== this.digits.count)
      return undefined;
    const deferred: Op[] = [];
    if (shifts.every((s) => s.by === 0)) return { op, shifts, deferred };
    const cone = this.cone(op.operands[0]);
    if (!cone || cone.length > MOST_OPS) return undefined;
    for (const read of cone) {
      const field = read.attrs.field as string | undefined;
      const touching = field === undefined ? [] : fields.get(field)!;
      for (const other of touching) {
        if (other.name === 'field.load') continue;
        const waits =
          other.name === 'field.store' &&
          this.definitions.get(other.operands[0].id)?.name === 'arith.constant' &&
          isOwnIndex(other.operands.slice(1), this.digits) &&
          touching.every((o) => o === other || this.positions.get(o)! < this.positions.get(other)!);
        if (!waits) return undefined;
        deferred.push(other);
      }
    }
    return { op, shifts, deferred };
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

const isSum = ({ name, attrs }: Op): boolean => name === 'field.atomic' && attrs.kind === 'add';

const clone = (op: Op, moved: Map<number, Value>, into: Op[], ids: IdSource): void => {
  const results = op.results.map((r) => makeValue(ids.next(), r.type, r.hint));
  into.push(opWith(op, { operands: op.operands.map((v) => moved.get(v.id) ?? v), results }));
  op.results.forEach((r, n) => moved.set(r.id, results[n]));
};

/** The digits in the order in which an element's index has them. */
const ownIndex = (op: Op, digits: Digits): readonly Value[] => digits.inOrderOf(op.operands.slice(1));

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
