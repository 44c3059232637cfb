import type { OpDef, Scalar } from '../kernel/dialect.js';
import type { Op } from '../kernel/op.js';
import {
  type Type,
  byteSize,
  isFloat,
  isInteger,
  isScalarType,
  isVector,
  sameType,
  scalarOf,
  scalarTypes,
  typeText,
  withScalar,
} from '../kernel/type.js';
import { withFold } from '../fold/core-folds.js';
import { arithmeticRanges } from '../range/arithmetic.js';
import type { IntegerRange } from '../range/range.js';
import { isRealRange, realRanges, wholeRangesOfReals, type RealRange } from '../range/real.js';
import { type ScalarOp, scalarOps } from '../scalar/scalar-op.js';
import { bitcaster, constantProblem, converter, scalarFromAttr } from './convert.js';
import {
  type Lane,
  defineBound,
  defineElementwise,
  firstProblem,
  hasOperands,
  oneOf,
  operandIs,
  sameOperands,
} from './define.js';
import { type IntegerArithmetic, integerArithmetic } from './integer.js';
import { dialect } from './op-table.js';
import { vectorOps } from './vector.js';

/** Comparison predicates. On floats every one is ordered except `ne`: with a NaN only `ne` holds. */
export type Predicate = 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne';

type IntegerOp = Exclude<keyof IntegerArithmetic, 'wrap'>;

/** The same type in and out, integers wrap, floats are IEEE; the float meaning is the row of the scalar table. */
const arithmetic = (name: IntegerOp, arity: 1 | 2, summary: string, float: (a: number, b: number) => number): OpDef => {
  const row = scalarOps.find((r) => r.kernelOp === `arith.${name}` && r.arity === arity);
  const meaning = row?.evaluate ?? float;
  return defineElementwise(
    {
      name: `arith.${name}`,
      summary,
      verify: (op) =>
        firstProblem(
          hasOperands(op, arity) ?? sameOperands(op) ?? operandIs(op, 0, 'a number', (t) => isFloat(t) || isInteger(t)),
        ),
      resultTypes: (operands) => [operands[0].type],
      traits: { ...algebra(row), mayTrap: name === 'div' || name === 'rem' },
    },
    (op, machine) => {
      const type = scalarOf(op.operands[0].type);
      if (type === 'f64') return meaning as Lane;
      if (type === 'f32') return (a, b) => Math.fround(meaning(a as number, b as number));
      const f = integerArithmetic(type)[name];
      if (name !== 'div' && name !== 'rem') return f;
      return (a, b, c) =>
        b === 0 || b === 0n ? machine.trap(op, `${name === 'div' ? 'division' : 'remainder'} by zero`) : f(a, b, c);
    },
  );
};

const algebra = (row: ScalarOp | undefined): OpDef['traits'] =>
  row ? { commutative: row.commutative, associative: row.associative } : {};

/** Bitwise on integers, logical on truth values. */
const bits = (name: 'and' | 'or' | 'xor' | 'not', summary: string, logical: Lane): OpDef =>
  defineElementwise(
    {
      name: `arith.${name}`,
      summary,
      verify: (op) =>
        firstProblem(
          hasOperands(op, name === 'not' ? 1 : 2) ??
            sameOperands(op) ??
            operandIs(op, 0, 'an integer or i1', (t) => !isFloat(t)),
        ),
      resultTypes: (operands) => [operands[0].type],
      traits: name === 'not' ? {} : { commutative: true, associative: true },
    },
    (op) => {
      const type = scalarOf(op.operands[0].type);
      return type === 'i1' ? logical : integerArithmetic(type)[name];
    },
  );

const shift = (name: 'shl' | 'shr', summary: string): OpDef =>
  defineElementwise(
    {
      name: `arith.${name}`,
      summary,
      verify: (op) => firstProblem(hasOperands(op, 2) ?? sameOperands(op) ?? operandIs(op, 0, 'an integer', isInteger)),
      resultTypes: (operands) => [operands[0].type],
    },
    (op) => integerArithmetic(scalarOf(op.operands[0].type))[name],
  );

const compare: Readonly<Record<Predicate, (a: Scalar, b: Scalar) => boolean>> = {
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
};

const cmp = defineElementwise(
  {
    name: 'arith.cmp',
    summary: 'compares two values of one type by `predicate`; i1 by eq and ne only',
    verify: (op) =>
      firstProblem(
        hasOperands(op, 2) ??
          sameOperands(op) ??
          oneOf(
            op,
            'predicate',
            scalarOf(op.operands[0].type) === 'i1' ? ['eq', 'ne'] : ['lt', 'le', 'gt', 'ge', 'eq', 'ne'],
          ),
      ),
    resultTypes: (operands) => [withScalar(operands[0].type, 'i1')],
  },
  (op) => compare[op.attrs.predicate as Predicate],
);

const select = defineElementwise(
  {
    name: 'arith.select',
    summary: 'the second operand where the first is true, else the third; on vectors the condition has as many lanes',
    verify: (op) =>
      firstProblem(
        hasOperands(op, 3) ??
          sameOperands(op, 1) ??
          operandIs(op, 0, typeText(withScalar(op.operands[1].type, 'i1')), (t) =>
            sameType(t, withScalar(op.operands[1].type, 'i1')),
          ),
      ),
    resultTypes: (operands) => [operands[1].type],
  },
  () => (c, a, b) => (c ? a : b),
);

const constant = defineBound(
  {
    name: 'arith.constant',
    summary: 'the value of `value`, in every lane of a vector',
    verify: (op) =>
      firstProblem(
        hasOperands(op, 0) ??
          (op.results.length === 1 ? constantProblem(op.attrs.value, scalarOf(op.results[0].type)) : 'has one result'),
      ),
    /* Nothing but the result says which type is meant, so builders state it and the verifier takes it from there. */
    resultTypes: () => [],
    traits: { constant: true },
  },
  (op) => {
    const type = op.results[0].type;
    const scalar = scalarFromAttr(op.attrs.value, scalarOf(type));
    const value = isVector(type) ? new Array<Scalar>(type.lanes).fill(scalar) : scalar;
    return () => value;
  },
);

const conversion = (
  name: 'cast' | 'bitcast',
  summary: string,
  check: (op: Op, from: Type) => string | undefined,
  convert: typeof converter,
): OpDef =>
  defineElementwise(
    {
      name: `arith.${name}`,
      summary,
      verify: (op) =>
        firstProblem(hasOperands(op, 1) ?? oneOf(op, 'to', scalarTypes) ?? check(op, op.operands[0].type)),
      resultTypes: (operands, attrs) => (isScalarType(attrs.to) ? [withScalar(operands[0].type, attrs.to)] : []),
    },
    (op) => convert(scalarOf(op.operands[0].type), scalarOf(op.results[0].type)),
  );

const bitcastProblem = (op: Op, from: Type): string | undefined => {
  const [of, to] = [scalarOf(from), op.attrs.to];
  if (!isScalarType(to) || of === 'i1' || to === 'i1') return 'reinterprets numbers only; compare or select for i1';
  return byteSize(of) === byteSize(to) ? undefined : `${of} and ${to} differ in size`;
};

const withRange = (def: OpDef): OpDef => {
  const [whole, real] = [arithmeticRanges[def.name.slice('arith.'.length)], realRanges[def.name]];
  if (!whole && !real) return def;
  return {
    ...def,
    range: (op, operands, type) => {
      if (isFloat(type)) return real?.(op, operands, type);
      return operands.some(isRealRange)
        ? wholeRangesOfReals[def.name]?.(op, operands as readonly RealRange[], type)
        : whole?.(op, operands as readonly (IntegerRange | undefined)[], type);
    },
  };
};

/** Integer and float arithmetic, truth values, conversions, short vectors. */
export const arith = dialect(
  'arith',
  [
    constant,
    arithmetic('add', 2, 'sum', (a, b) => a + b),
    arithmetic('sub', 2, 'difference', (a, b) => a - b),
    arithmetic('mul', 2, 'product', (a, b) => a * b),
    arithmetic('div', 2, 'quotient; of integers truncated, traps on zero', (a, b) => a / b),
    arithmetic('rem', 2, 'truncated remainder, the sign of the dividend; of integers traps on zero', (a, b) => a % b),
    arithmetic('min', 2, 'the lesser; NaN if either is, -0 below 0', Math.min),
    arithmetic('max', 2, 'the greater; NaN if either is, 0 above -0', Math.max),
    arithmetic('neg', 1, 'the negative', (a) => -a),
    bits('and', 'bitwise and', (a, b) => (a as boolean) && (b as boolean)),
    bits('or', 'bitwise or', (a, b) => (a as boolean) || (b as boolean)),
    bits('xor', 'bitwise exclusive or', (a, b) => a !== b),
    bits('not', 'bitwise complement', (a) => !a),
    shift('shl', 'shift left; the amount counts modulo the width'),
    shift('shr', 'shift right, keeping the sign of signed integers; the amount counts modulo the width'),
    cmp,
    select,
    conversion(
      'cast',
      'C conversion to scalar type `to`; float to integer truncates, saturates, and takes NaN to 0; `fits` promises that it need do neither',
      (op) => (op.attrs.fits === undefined || op.attrs.fits === true ? undefined : '`fits` is true or left out'),
      converter,
    ),
    conversion('bitcast', 'the same bits as scalar type `to` of equal size', bitcastProblem, bitcaster),
    ...vectorOps,
  ].map((def) => withFold(withRange(def))),
);
