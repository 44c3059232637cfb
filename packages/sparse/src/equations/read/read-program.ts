import {
  bufferName,
  fail,
  isFloat,
  isInteger,
  typeText,
  type Loc,
  type Module,
  type Op,
  type Region,
  type ScalarType,
  type Type,
  type Value,
} from '@filigree/ir';
import type { Affine } from '../../trace/piece.js';
import {
  constantOf,
  isEmpty,
  iterator,
  minus,
  plus,
  rangeOf,
  shiftedBy,
  times,
  type Conjunction,
} from '../sets/conjunction.js';
import { outsideOf } from './bounds.js';
import type { Access, AffineProgram, ArrayInfo, Expr, Place, Read, Statement } from './program.js';
import { delinearise, type FlatAccess } from './shapes.js';
import {
  affine,
  always,
  both,
  comparison,
  crossed,
  either,
  numberOf,
  opposite,
  wholeOf,
  type Condition,
  type Whole,
} from './values.js';

export interface ReadProgramOptions {
  /** Values of the kernels' integer parameters, by name. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Shapes of arrays, by name; without them they are found in the subscripts. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
}

/**
 * The affine program that the kernels of a module are, one after another. Accepted: `scf.for` with bounds that are affine
 * in outer iterators (or the least or greatest of such), with or without carried values; `scf.if` and `arith.select` on
 * affine comparisons; loads and stores with affine indices; any arithmetic on data. Throws `DiagnosticError`:
 * `equations/not-affine` with the op and the reason, `equations/size`, `equations/bounds`.
 */
export const readProgram = (module: Module, options: ReadProgramOptions = {}): AffineProgram =>
  new Reader(module, options).program();

interface Scope {
  readonly iterators: readonly string[];
  readonly domain: readonly Conjunction[];
  /** The position of the loop's body in the text, one number a depth, and the next free position within. */
  readonly place: Place;
  readonly next: { at: number };
}

interface Flat {
  readonly iterators: readonly string[];
  readonly domain: readonly Conjunction[];
  readonly place: Place;
  readonly write: FlatAccess;
  readonly value: Expr;
  readonly loc: Loc | undefined;
}

class Reader {
  private readonly wholes = new Map<number, Whole>();
  private readonly conditions = new Map<number, Condition>();
  private readonly data = new Map<number, Expr>();
  /** The op that a value which is no affine function came from. */
  private readonly origin = new Map<number, Op>();
  private readonly statements: Flat[] = [];
  private readonly accesses: FlatAccess[] = [];
  private readonly carried: ArrayInfo[] = [];

  constructor(
    private readonly module: Module,
    private readonly options: ReadProgramOptions,
  ) {}

  program(): AffineProgram {
    const { module } = this;
    const next = { at: 0 };
    for (const kernel of module.kernels) {
      /* Every kernel numbers its values anew. */
      for (const known of [this.wholes, this.conditions, this.data, this.origin]) known.clear();
      for (const p of kernel.params) this.parameter(p);
      this.region(kernel.body, { iterators: [], domain: [[]], place: [], next });
    }
    const buffers = module.buffers.filter((b) => this.accesses.some((a) => a.array === b.name));
    const shapes = new Map(
      buffers.map((b) => [
        b.name,
        delinearise(
          b.length,
          this.accesses.filter((a) => a.array === b.name),
          this.options.shapes?.[b.name],
        ),
      ]),
    );
    const split = ({ array, index }: FlatAccess): Access => {
      const shape = shapes.get(array);
      return { array, subscripts: shape === undefined ? carriedSubscripts(index) : shape.split(index) };
    };
    const splitReads = (e: Expr): Expr =>
      e.kind === 'read'
        ? shapes.has(e.array)
          ? { ...e, ...split({ array: e.array, index: e.subscripts[0], domain: [] }) }
          : e
        : e.kind === 'apply'
          ? { ...e, args: e.args.map(splitReads) }
          : e.kind === 'if'
            ? { ...e, then: splitReads(e.then), otherwise: splitReads(e.otherwise) }
            : e;
    const single = this.statements.length === 1;
    return {
      name: module.name,
      arrays: [
        ...buffers.map((b): ArrayInfo => ({
          name: b.name,
          type: b.type,
          shape: shapes.get(b.name)!.shape,
          lower: shapes.get(b.name)!.shape.map(() => 0),
          role: b.role === 'scratch' ? 'temp' : b.role,
          ...(b.data === undefined ? {} : { data: b.data }),
        })),
        ...this.carried,
      ],
      statements: this.statements.map((s, k): Statement => ({
        ...s,
        name: single ? 'S' : `S${k}`,
        write: split(s.write),
        value: splitReads(s.value),
      })),
    };
  }

  private parameter(p: Value): void {
    const name = p.hint ?? `p${p.id}`;
    if (isInteger(p.type)) {
      const size = this.options.sizes?.[name];
      if (size === undefined || !Number.isSafeInteger(size))
        return fail('equations/size', `parameter %${name} has no value`, {
          remedy: `give it a whole number: --size ${name}=100`,
        });
      this.wholes.set(p.id, affine(constantOf(size)));
    } else this.data.set(p.id, { kind: 'parameter', name, type: p.type as ScalarType });
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
        this.write(op, this.access(op, op.operands[1], scope), this.expr(op.operands[0]), scope);
        return;
      case 'scf.yield':
        return;
      default:
        return this.value(op);
    }
  }

  private value(op: Op): void {
    if (
      op.regions.length > 0 ||
      op.results.length !== 1 ||
      !/^(arith|math)\./.test(op.name) ||
      /^arith\.(splat|iota|extract|insert|reduce)$/.test(op.name)
    )
      notAffine(
        op,
        /^mem\./.test(op.name)
          ? 'only plain loads and stores are followed'
          : 'it has no meaning in loops over affine sets',
      );
    const [result] = op.results;
    const { type } = result;
    if (typeof type !== 'string') notAffine(op, `it works on ${typeText(type)}: write the loops without vectors`);
    if (op.name === 'arith.constant') return this.constant(op, result);
    if (type === 'i1') {
      const condition = this.conditionOf(op);
      if (condition !== undefined) this.conditions.set(result.id, condition);
    } else if (isInteger(type)) {
      const args = op.operands.map((v) => this.wholes.get(v.id));
      const whole = args.every((a) => a !== undefined) ? wholeOf(op, args) : undefined;
      if (whole !== undefined) {
        this.wholes.set(result.id, whole);
        return;
      }
    }
    this.origin.set(result.id, op);
    if (op.name === 'arith.select' && this.conditions.has(op.operands[0].id)) {
      const [c, then, otherwise] = op.operands;
      this.data.set(result.id, {
        kind: 'if',
        ...this.conditions.get(c.id)!,
        then: this.expr(then),
        otherwise: this.expr(otherwise),
      });
    } else if (op.operands.every((v) => this.hasExpr(v)))
      this.data.set(result.id, { kind: 'apply', op, args: op.operands.map((v) => this.expr(v)) });
  }

  private constant(op: Op, result: Value): void {
    const value = Number(op.attrs.value);
    if (result.type === 'i1') this.conditions.set(result.id, op.attrs.value === true ? always : opposite(always));
    else if (isFloat(result.type)) this.data.set(result.id, { kind: 'number', value, type: result.type as ScalarType });
    else this.wholes.set(result.id, affine(constantOf(value)));
  }

  private conditionOf(op: Op): Condition | undefined {
    if (op.name === 'arith.cmp') {
      const [a, b] = op.operands.map((v) => this.wholes.get(v.id));
      if (a?.kind !== 'affine' || b?.kind !== 'affine') return undefined;
      return comparison(String(op.attrs.predicate), a.value, b.value);
    }
    const args = op.operands.map((v) => this.conditions.get(v.id));
    const [a, b] = args;
    if (a === undefined || args.includes(undefined)) return undefined;
    if (op.name === 'arith.not') return opposite(a);
    return op.name === 'arith.and' ? both(a, b!) : op.name === 'arith.or' ? either(a, b!) : undefined;
  }

  private hasExpr(v: Value): boolean {
    return this.data.has(v.id) || this.wholes.get(v.id)?.kind === 'affine' || this.conditions.has(v.id);
  }

  private expr(v: Value): Expr {
    const known = this.data.get(v.id);
    if (known !== undefined) return known;
    const whole = this.wholes.get(v.id);
    const type = v.type as ScalarType;
    if (whole?.kind === 'affine') return { kind: 'index', value: whole.value, type };
    const condition = this.conditions.get(v.id);
    const truth = (value: number): Expr => ({ kind: 'number', value, type });
    if (condition !== undefined) return { kind: 'if', ...condition, then: truth(1), otherwise: truth(0) };
    const op = this.origin.get(v.id);
    return op === undefined
      ? fail('equations/not-affine', 'a value has no meaning in loops over affine sets')
      : notAffine(op, 'its value is not followed');
  }

  /** The affine function that an index or a bound is, or a diagnostic. */
  private index(v: Value, user: Op, what: string): Whole {
    const whole = this.wholes.get(v.id);
    if (whole !== undefined) return whole;
    const op = this.origin.get(v.id);
    const from = this.data.get(v.id);
    const why =
      from?.kind === 'read'
        ? `it is read from @${from.array}`
        : op !== undefined
          ? `it comes from ${op.name} of ${op.operands.some((a) => readsAny(this.data.get(a.id))) ? 'data' : 'values whose result is no affine function of the iterators'}`
          : 'it is not a function of the iterators';
    return notAffine(user, `${what} is not affine: ${why}`);
  }

  private access(op: Op, index: Value, scope: Scope): FlatAccess {
    if (typeof index.type !== 'string' || op.attrs.lanes !== undefined)
      notAffine(op, 'it works on vectors: write the loops without');
    const buffer = this.module.buffers.find((b) => b.name === bufferName(op))!;
    const whole = this.index(index, op, `the index into @${buffer.name}`);
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
    this.origin.set(result.id, op);
    this.data.set(result.id, {
      kind: 'read',
      array,
      subscripts: [index],
      type: result.type as ScalarType,
      place: [...scope.place, scope.next.at++],
      loc: op.loc,
    });
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
    const lower = this.index(lb, op, 'the lower bound');
    const upper = this.index(ub, op, 'the upper bound');
    const stride = numberOf(this.index(step, op, 'the step'));
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
    this.wholes.set(iv.id, affine(at));
    params.forEach((p, k) => this.readCarried(op, p, carried[k], inner));
    if (domain.length > 0) {
      this.region(body, inner);
      const yields = body.ops[body.ops.length - 1].operands;
      yields.forEach((v, k) => this.write(op, this.carriedAccess(carried[k], scope), this.expr(v), inner));
    }
    op.results.forEach((r, k) => this.readCarried(op, r, carried[k], scope));
  }

  /** The array that stands for a value which a loop carries: an element for each time that the loop is entered. */
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
    this.write(op, this.carriedAccess(name, scope), this.expr(init), scope);
    return name;
  }

  private carriedAccess(array: string, scope: Scope): FlatAccess {
    return { array, index: constantOf(scope.iterators.length), domain: scope.domain };
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
    this.data.set(v.id, read);
  }

  private branch(op: Op, scope: Scope): void {
    const condition = this.conditions.get(op.operands[0].id);
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
      this.origin.set(r.id, op);
      if (a === undefined || b === undefined) this.data.set(r.id, this.expr((a ?? b)!));
      else this.data.set(r.id, { kind: 'if', ...condition, then: this.expr(a), otherwise: this.expr(b) });
    });
  }
}

/* The element of a carried value is that of its outer iterators; only their number is kept until arrays have shapes. */
const carriedSubscripts = (dims: Affine): readonly Affine[] =>
  Array.from({ length: dims.constant }, (_, d) => iterator(d));

const readsAny = (e: Expr | undefined): boolean =>
  e !== undefined && (e.kind === 'read' || (e.kind === 'apply' && e.args.some(readsAny)));

const freshName = (iv: Value, taken: readonly string[]): string => {
  const base = iv.hint !== undefined && /^[A-Za-z_]/.test(iv.hint) ? iv.hint : `i${taken.length}`;
  let name = base;
  for (let k = 1; taken.includes(name); k++) name = `${base}${k}`;
  return name;
};

const notAffine = (op: Op, why: string): never =>
  fail('equations/not-affine', `${op.name}: ${why}`, {
    loc: op.loc,
    remedy: 'regions are found for loops with affine bounds, conditions and indices only',
  });
