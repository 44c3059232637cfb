import {
  bufferName,
  fail,
  typeText,
  type Module,
  type Op,
  type Region,
  type ScalarType,
  type Type,
  type Value,
  checkOptions,
  option,
  type OptionSpec,
} from '@filigree/ir';
import { iterator, minus, plus, shiftedBy, times, type Conjunction } from '../sets/conjunction.js';
import { outsideOf } from './bounds.js';
import { notAffine } from './not-affine.js';
import type { AffineProgram, ArrayInfo, Expr, Place, Read } from './program.js';
import type { FlatAccess } from './shapes.js';
import { ValueTable } from './value-table.js';
import { affine, crossed, numberOf } from './values.js';
import { carriedIndex, withShapes, type FlatStatement } from './with-shapes.js';
import { isEmpty, rangeOf } from '../sets/integer-points.js';

export interface ReadProgramOptions {
  /** Values of the kernels' integer parameters, by name. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Shapes of arrays, by name; without them they are found in the subscripts. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
}

/**
 * The affine program that the kernels of a module are, one after another. What loads give is read where it is used; of those that `kept` has, by
 * their numbers, it is kept where they stand, in an array of its own. Accepted: `scf.for` with bounds that are affine
 * in outer iterators (or the least or greatest of such), with or without carried values; `scf.if` and `arith.select` on
 * affine comparisons; loads and stores with affine indices; any arithmetic on data. Throws `DiagnosticError`:
 * `equations/not-affine` with the op and the reason, `equations/size`, `equations/bounds`.
 */
export const readProgram = (
  module: Module,
  options?: ReadProgramOptions,
  kept: ReadonlySet<number> = new Set(),
): AffineProgram => new Reader(module, checkOptions('solveProgram', options, readProgramSpec), kept).program();

interface Scope {
  readonly iterators: readonly string[];
  readonly domain: readonly Conjunction[];
  /** The position of the loop's body in the text, one number a depth, and the next free position within. */
  readonly place: Place;
  readonly next: { at: number };
}

class Reader {
  private values: ValueTable;
  private readonly statements: FlatStatement[] = [];
  private readonly accesses: FlatAccess[] = [];
  private readonly carried: ArrayInfo[] = [];
  private loads = 0;

  constructor(
    private readonly module: Module,
    private readonly options: ReadProgramOptions,
    private readonly kept: ReadonlySet<number>,
  ) {
    this.values = new ValueTable({});
  }

  program(): AffineProgram {
    const { module, options } = this;
    const next = { at: 0 };
    for (const kernel of module.kernels) {
      /* Every kernel numbers its values anew. */
      this.values = new ValueTable(options.sizes ?? {});
      for (const p of kernel.params) this.values.parameter(p);
      this.region(kernel.body, { iterators: [], domain: [[]], place: [], next });
    }
    return withShapes(module, this.statements, this.accesses, this.carried, options.shapes);
  }

  private region(region: Region, scope: Scope): void {
    for (const op of region.ops) this.op(op, scope);
  }

  private op(op: Op, scope: Scope): void {
    switch (op.name) {
      case 'scf.for':
        return this.loop(op, scope);
      case 'scf.if':
        return this.branch(op, scope);
      case 'mem.load':
        return this.load(op, scope);
      case 'mem.store':
        this.write(op, this.access(op, op.operands[1], scope), this.values.expr(op.operands[0]), scope);
        return;
      case 'scf.yield':
        return;
      default:
        return this.values.value(op);
    }
  }

  private access(op: Op, index: Value, scope: Scope): FlatAccess {
    if (typeof index.type !== 'string' || op.attrs.lanes !== undefined)
      notAffine(op, 'it works on vectors: write the loops without');
    const buffer = this.module.buffers.find((b) => b.name === bufferName(op))!;
    const whole = this.values.index(index, op, `the index into @${buffer.name}`);
    if (whole.kind !== 'affine') return notAffine(op, `the index into @${buffer.name} is a ${whole.kind} of functions`);
    const beyond = scope.domain.flatMap((set) => outsideOf(set, whole.value, buffer.length) ?? []);
    if (beyond.length > 0)
      fail('equations/bounds', `${op.name} of @${buffer.name} reaches element ${beyond[0]} of ${buffer.length}`, {
        loc: op.loc,
        remedy: 'give the buffer all elements that the loops reach, or bound the loops',
      });
    const access: FlatAccess = { array: buffer.name, index: whole.value, domain: scope.domain };
    this.accesses.push(access);
    return access;
  }

  private load(op: Op, scope: Scope): void {
    const { array, index } = this.access(op, op.operands[0], scope);
    const [result] = op.results;
    const place = [...scope.place, scope.next.at++];
    const type = result.type as ScalarType;
    const load = this.loads++;
    this.values.knowData(result, { kind: 'read', load, array, subscripts: [index], type, place, loc: op.loc }, op);
    if (this.kept.has(load)) this.readCarried(op, result, this.carry(op, result, result, result, scope), scope);
  }

  private write({ loc }: Op, write: FlatAccess, value: Expr, scope: Scope): void {
    this.statements.push({
      iterators: scope.iterators,
      domain: scope.domain,
      place: [...scope.place, scope.next.at++],
      write,
      value,
      loc,
    });
  }

  private loop(op: Op, scope: Scope): void {
    const [lb, ub, step, ...inits] = op.operands;
    const [body] = op.regions;
    const [iv, ...params] = body.params;
    const lower = this.values.index(lb, op, 'the lower bound');
    const upper = this.values.index(ub, op, 'the upper bound');
    const stride = numberOf(this.values.index(step, op, 'the step'));
    if (stride === undefined || stride < 1) return notAffine(op, 'its step is not a positive constant');
    if (lower.kind === 'min') return notAffine(op, 'its lower bound is the least of several functions');
    if (upper.kind === 'max') return notAffine(op, 'its upper bound is the greatest of several functions');
    const depth = scope.iterators.length;
    const x = iterator(depth);
    const lowers = lower.kind === 'affine' ? [lower.value] : lower.of;
    const uppers = upper.kind === 'affine' ? [upper.value] : upper.of;
    if (stride > 1 && lowers.length > 1)
      return notAffine(op, 'it has a step, and its lower bound is the greatest of several functions');
    /* With a step the iterator counts iterations. */
    const at = stride === 1 ? x : plus(lowers[0], times(x, stride));
    const bounds: Conjunction = [
      ...(stride === 1 ? lowers.map((l) => minus(x, l)) : [x]),
      ...uppers.map((u) => shiftedBy(minus(u, at), -1)),
    ];
    const domain = scope.domain.map((set) => [...set, ...bounds]).filter((set) => !isEmpty(set));
    const carried = params.map((p, k) => this.carry(op, p, op.results[k], inits[k], scope));
    const place = [...scope.place, scope.next.at++];
    const inner: Scope = {
      iterators: [...scope.iterators, freshName(iv, scope.iterators)],
      domain,
      place,
      next: { at: 0 },
    };
    this.values.knowWhole(iv, affine(at));
    params.forEach((p, k) => this.readCarried(op, p, carried[k], inner));
    if (domain.length > 0) {
      this.region(body, inner);
      const yields = body.ops[body.ops.length - 1].operands;
      yields.forEach((v, k) => this.write(op, this.carriedAccess(carried[k], scope), this.values.expr(v), inner));
    }
    op.results.forEach((r, k) => this.readCarried(op, r, carried[k], scope));
  }

  /** The array that stands for a value which a loop carries, or a load gives: an element for each time that the loop is entered, or the load runs. */
  private carry(op: Op, param: Value, result: Value, init: Value, scope: Scope): string {
    const type = param.type as ScalarType;
    if (typeof (param.type as Type) !== 'string')
      notAffine(op, `it carries ${typeText(param.type)}: write the loop without vectors`);
    const taken = (n: string): boolean =>
      this.carried.some((a) => a.name === n) || this.module.buffers.some((b) => b.name === n);
    let name = param.hint ?? result.hint ?? 'carried';
    for (let k = 1; taken(name); k++) name = `${name.replace(/_\d+$/, '')}_${k}`;
    const ranges = scope.iterators.map((_, d) => {
      const all = scope.domain.map((set) => rangeOf(set, iterator(d))!);
      const [min, max] = [Math.min(...all.map((r) => r.min)), Math.max(...all.map((r) => r.max))];
      return { min, max };
    });
    this.carried.push({
      name,
      type,
      shape: ranges.map((r) => r.max - r.min + 1),
      lower: ranges.map((r) => r.min),
      role: 'carried',
    });
    this.write(op, this.carriedAccess(name, scope), this.values.expr(init), scope);
    return name;
  }

  private carriedAccess(array: string, scope: Scope): FlatAccess {
    return { array, index: carriedIndex(scope.iterators.length), domain: scope.domain };
  }

  private readCarried({ loc }: Op, v: Value, array: string, scope: Scope): void {
    const dims = this.carried.find((a) => a.name === array)!.shape.length;
    const read: Read = {
      kind: 'read',
      array,
      subscripts: Array.from({ length: dims }, (_, d) => iterator(d)),
      type: v.type as ScalarType,
      place: [...scope.place, scope.next.at++],
      loc,
    };
    this.values.knowData(v, read);
  }

  private branch(op: Op, scope: Scope): void {
    const condition = this.values.condition(op.operands[0]);
    if (condition === undefined)
      return notAffine(op, 'its condition depends on data, or compares functions that are not affine');
    const [then, otherwise] = op.regions;
    const arm = (region: Region, where: readonly Conjunction[]): readonly Value[] => {
      const domain = crossed(scope.domain, where);
      if (domain.length === 0) return [];
      this.region(region, { ...scope, domain });
      return region.ops[region.ops.length - 1]?.operands ?? [];
    };
    const yields = [arm(then, condition.when), arm(otherwise, condition.unless)];
    op.results.forEach((r, k) => {
      const [a, b] = yields.map((y) => y[k]);
      const value: Expr =
        a === undefined || b === undefined
          ? this.values.expr((a ?? b)!)
          : { kind: 'if', ...condition, then: this.values.expr(a), otherwise: this.values.expr(b) };
      this.values.knowData(r, value, op);
    });
  }
}

const freshName = (iv: Value, taken: readonly string[]): string => {
  const base = iv.hint !== undefined && /^[A-Za-z_]/.test(iv.hint) ? iv.hint : `i${taken.length}`;
  let name = base;
  for (let k = 1; taken.includes(name); k++) name = `${base}${k}`;
  return name;
};

const readProgramSpec: OptionSpec<ReadProgramOptions> = {
  sizes: option.record(option.anything),
  shapes: option.record(option.list(option.whole(0))),
};
