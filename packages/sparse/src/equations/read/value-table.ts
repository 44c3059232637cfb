import { fail, isFloat, isInteger, typeText, type Op, type ScalarType, type Value } from '@filigree/ir';
import { constantOf } from '../sets/conjunction.js';
import { notAffine } from './not-affine.js';
import type { Expr } from './program.js';
import { affine, always, both, comparison, either, opposite, wholeOf, type Condition, type Whole } from './values.js';

/**
 * What is known of the values of a kernel: functions of the iterators, truth values that iterators alone decide, and
 * expressions on data.
 */
export class ValueTable {
  private readonly wholes = new Map<number, Whole>();
  private readonly conditions = new Map<number, Condition>();
  private readonly data = new Map<number, Expr>();
  /** The op that a value which is no affine function came from. */
  private readonly origin = new Map<number, Op>();

  /** @param sizes values of integer parameters, by name */
  constructor(private readonly sizes: Readonly<Record<string, number>>) {}

  knowWhole(v: Value, whole: Whole): void {
    this.wholes.set(v.id, whole);
  }

  knowData(v: Value, e: Expr, from?: Op): void {
    this.data.set(v.id, e);
    if (from !== undefined) this.origin.set(v.id, from);
  }

  condition(v: Value): Condition | undefined {
    return this.conditions.get(v.id);
  }

  /** A parameter of the kernel: a size, or any number. */
  parameter(p: Value): void {
    const name = p.hint ?? `p${p.id}`;
    if (isInteger(p.type)) {
      const size = this.sizes[name];
      if (size === undefined || !Number.isSafeInteger(size))
        return fail('equations/size', `parameter %${name} has no value`, {
          remedy: `give it a whole number: --size ${name}=100`,
        });
      this.wholes.set(p.id, affine(constantOf(size)));
    } else this.data.set(p.id, { kind: 'parameter', name, type: p.type as ScalarType });
  }

  /** An op without regions. */
  value(op: Op): void {
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

  /** A value as an expression, or a diagnostic. */
  expr(v: Value): Expr {
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
  index(v: Value, user: Op, what: string): Whole {
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
}

const readsAny = (e: Expr | undefined): boolean =>
  e !== undefined && (e.kind === 'read' || (e.kind === 'apply' && e.args.some(readsAny)));
