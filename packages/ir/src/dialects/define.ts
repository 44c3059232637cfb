import type { BoundOp, Machine, OpDef, RuntimeValue, Scalar } from '../kernel/dialect.js';
import type { Attr, Op, Region, Value } from '../kernel/op.js';
import { type Type, isVector, sameType, typeText } from '../kernel/type.js';

/** What every definition must say; the rest has a default: pure, no traits. */
export type Definition = Pick<OpDef, 'name' | 'summary' | 'verify' | 'resultTypes'> &
  Partial<Pick<OpDef, 'effects' | 'traits' | 'control' | 'accesses' | 'range' | 'fold'>>;

/** An op whose meaning is a plain function of its operands, chosen once per op. */
export const defineBound = (def: Definition, bind: (op: Op, machine: Machine) => BoundOp): OpDef => ({
  ...base(def),
  bind,
  evaluate: (op, args, machine) => {
    const value = bind(op, machine)(args[0], args[1], args[2]);
    return op.results.length === 0 ? [] : [value];
  },
});

/** An op that runs regions or gives several results. */
export const defineGeneral = (def: Definition, evaluate: OpDef['evaluate']): OpDef => ({ ...base(def), evaluate });

const base = (def: Definition): Omit<OpDef, 'evaluate'> => ({
  ...def,
  effects: def.effects ?? pure,
  traits: def.traits ?? {},
});

const pure = (): readonly never[] => [];

/** A function of scalars; unused parameters are absent at run time. */
export type Lane = (a: Scalar, b: Scalar, c: Scalar) => Scalar;

/** An element-wise op: `lane` picks the scalar meaning from the op's types, vectors run it lane by lane. */
export const defineElementwise = (def: Definition, lane: (op: Op, machine: Machine) => Lane): OpDef =>
  defineBound({ ...def, traits: { ...def.traits, elementwise: true } }, (op, machine) => {
    const f = lane(op, machine);
    const type = op.results[0].type;
    return isVector(type) ? overLanes(f, type.lanes, op.operands.length) : (f as BoundOp);
  });

const overLanes = (f: Lane, lanes: number, arity: number): BoundOp => {
  const none: readonly Scalar[] = [];
  return (a, b, c) => {
    const x = a as readonly Scalar[];
    const y = arity > 1 ? (b as readonly Scalar[]) : none;
    const z = arity > 2 ? (c as readonly Scalar[]) : none;
    const out: Scalar[] = new Array<Scalar>(lanes);
    for (let i = 0; i < lanes; i++) out[i] = f(x[i], y[i], z[i]);
    return out;
  };
};

/**
 * The first problem that is found, as a list of messages: `firstProblem(check(op) ?? another(op))`. The first often makes
 * the rest moot, so later checks are not run.
 */
export const firstProblem = (problem: string | undefined): readonly string[] =>
  problem === undefined ? none : [problem];

const none: readonly string[] = [];

/** An op has this many operands and regions; else the problem as a message. */
export const hasOperands = (op: Op, count: number, regions = 0): string | undefined =>
  op.operands.length !== count
    ? `takes ${count} operand${count === 1 ? '' : 's'}, has ${op.operands.length}`
    : hasRegions(op, regions);

/** An op has this many regions; else the problem as a message. */
export const hasRegions = (op: Op, count: number): string | undefined =>
  op.regions.length !== count
    ? `has ${op.regions.length} region${op.regions.length === 1 ? '' : 's'}, expected ${count}`
    : undefined;

/** All operands of one type. */
export const sameOperands = (op: Op, from = 0): string | undefined =>
  op.operands.every((v, n) => n <= from || sameType(v.type, op.operands[from].type))
    ? undefined
    : `operands must have one type, they have ${typesText(op.operands.slice(from))}`;

/** A test on operand types, named for the message: `operand 1 must be an integer, it is f64`. */
export const operandIs = (op: Op, index: number, what: string, test: (t: Type) => boolean): string | undefined =>
  test(op.operands[index].type)
    ? undefined
    : `operand ${index} must be ${what}, it is ${typeText(op.operands[index].type)}`;

/** An attribute that must be one of the values allowed. */
export const oneOf = (op: Op, attr: string, allowed: readonly Attr[]): string | undefined =>
  op.attrs[attr] === undefined
    ? `lacks attribute '${attr}'`
    : allowed.includes(op.attrs[attr])
      ? undefined
      : `attribute '${attr}' must be one of ${allowed.join(', ')}, it is ${String(op.attrs[attr])}`;

/** An integer attribute of at least `least`; required unless `optional`. */
export const integerAttr = (op: Op, attr: string, least: number, optional = false): string | undefined => {
  const value = op.attrs[attr];
  if (value === undefined) return optional ? undefined : `lacks attribute '${attr}'`;
  return Number.isSafeInteger(value) && (value as number) >= least
    ? undefined
    : `attribute '${attr}' must be an integer of at least ${least}, it is ${String(value)}`;
};

/** An optional attribute that is true or false. */
export const booleanAttr = (op: Op, attr: string): string | undefined =>
  op.attrs[attr] === undefined || typeof op.attrs[attr] === 'boolean'
    ? undefined
    : `attribute '${attr}' must be true or false, it is ${String(op.attrs[attr])}`;

/** Types as text, for messages: `f64, i32`. */
export const typesText = (values: readonly (Value | Type)[]): string =>
  values.length === 0
    ? 'nothing'
    : values.map((v) => typeText(typeof v === 'object' && 'type' in v ? v.type : v)).join(', ');

/** Whether two lists of values have the same types, one by one. */
export const sameTypes = (a: readonly Value[], b: readonly Value[]): boolean =>
  a.length === b.length && a.every((v, i) => sameType(v.type, b[i].type));

/** The last op of a region, if it is there. */
export const terminatorOf = (region: Region): Op | undefined => region.ops[region.ops.length - 1];

/** A vector as its lanes, a scalar as one lane. */
export const lanes = (value: RuntimeValue): readonly Scalar[] =>
  Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar];

/** Whether a type can serve as an index: `i32` or `i64`. */
export const isIndex = (t: Type): boolean => t === 'i32' || t === 'i64';
