import type { OpDef, Scalar } from '../kernel/dialect.js';
import type { Op } from '../kernel/op.js';
import { type ScalarType, type Type, isVector, isWide, lanesOf, scalarOf, typeText } from '../kernel/type.js';
import { scalarOp } from '../scalar/scalar-op.js';
import { type Lane, defineBound, firstProblem, hasOperands, integerAttr, lanes, oneOf, operandIs } from './define.js';
import { integerArithmetic } from './integer.js';

/** The ops of `arith` that make, take apart and fold vectors. */
export const vectorOps: readonly OpDef[] = [
  defineBound(
    {
      name: 'arith.splat',
      summary: 'a vector of `lanes` copies of a scalar',
      verify: (op) => fromScalar(op, 'a scalar', isScalar),
      resultTypes: (operands, attrs) => [{ lanes: attrs.lanes as number, of: scalarOf(operands[0].type) }],
    },
    (op) => {
      const count = op.attrs.lanes as number;
      return (a) => new Array<Scalar>(count).fill(a as Scalar);
    },
  ),
  defineBound(
    {
      name: 'arith.iota',
      summary: 'the vector s, s+1, … of `lanes` lanes; integers wrap',
      verify: (op) => fromScalar(op, 'a number', (t) => isScalar(t) && scalarOf(t) !== 'i1'),
      resultTypes: (operands, attrs) => [{ lanes: attrs.lanes as number, of: scalarOf(operands[0].type) }],
    },
    (op) => {
      const type = scalarOf(op.operands[0].type);
      const steps = Array.from({ length: op.attrs.lanes as number }, (_, i) => (isWide(type) ? BigInt(i) : i));
      const add = laneFold(type, 'add');
      return (a) => steps.map((s) => add(a as Scalar, s, 0));
    },
  ),
  defineBound(
    {
      name: 'arith.extract',
      summary: 'lane `lane` of a vector',
      verify: (op) => {
        const problem = firstProblem(hasOperands(op, 1) ?? operandIs(op, 0, 'a vector', isVector));
        return problem.length > 0 ? problem : laneProblem(op);
      },
      resultTypes: (operands) => [scalarOf(operands[0].type)],
    },
    (op) => {
      const lane = op.attrs.lane as number;
      return (a) => lanes(a)[lane];
    },
  ),
  defineBound(
    {
      name: 'arith.insert',
      summary: 'the vector (first operand) with the scalar (second) in lane `lane`',
      verify: (op) => {
        const problem = firstProblem(
          hasOperands(op, 2) ??
            operandIs(op, 0, 'a vector', isVector) ??
            operandIs(op, 1, typeText(scalarOf(op.operands[0].type)), (t) => t === scalarOf(op.operands[0].type)),
        );
        return problem.length > 0 ? problem : laneProblem(op);
      },
      resultTypes: (operands) => [operands[0].type],
    },
    (op) => {
      const lane = op.attrs.lane as number;
      return (vector, scalar) => lanes(vector).map((x, i) => (i === lane ? (scalar as Scalar) : x));
    },
  ),
  defineBound(
    {
      name: 'arith.reduce',
      summary:
        'folds the lanes of a vector by `kind`, from lane 0 upwards; of truth values `or` says whether any is true',
      verify: (op) =>
        firstProblem(
          hasOperands(op, 1) ??
            operandIs(op, 0, 'a vector', isVector) ??
            oneOf(op, 'kind', scalarOf(op.operands[0].type) === 'i1' ? ['or'] : ['add', 'mul', 'min', 'max']),
        ),
      resultTypes: (operands) => [scalarOf(operands[0].type)],
    },
    (op) => {
      if (op.attrs.kind === 'or') return (a) => lanes(a).some((x) => x === true);
      const fold = laneFold(scalarOf(op.operands[0].type), op.attrs.kind as FoldKind);
      return (a) => lanes(a).reduce((x, y) => fold(x, y, 0));
    },
  ),
];

type FoldKind = 'add' | 'mul' | 'min' | 'max';

/** The scalar meaning of `arith.add` and its like on one type. */
export const laneFold = (type: ScalarType, kind: FoldKind): Lane => {
  if (type !== 'f64' && type !== 'f32') return integerArithmetic(type)[kind];
  const f = scalarOp(kind).evaluate;
  return type === 'f64' ? (f as Lane) : (a, b) => Math.fround(f(a as number, b as number));
};

const isScalar = (t: Type): boolean => typeof t === 'string';

const fromScalar = (op: Op, what: string, test: (t: Type) => boolean): readonly string[] =>
  firstProblem(hasOperands(op, 1) ?? operandIs(op, 0, what, test) ?? integerAttr(op, 'lanes', 2));

const laneProblem = (op: Op): readonly string[] =>
  firstProblem(
    integerAttr(op, 'lane', 0) ??
      ((op.attrs.lane as number) < lanesOf(op.operands[0].type)
        ? undefined
        : `lane ${String(op.attrs.lane)} is outside ${typeText(op.operands[0].type)}`),
  );
