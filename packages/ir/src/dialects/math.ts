import type { OpDef } from '../kernel/dialect.js';
import { isFloat, scalarOf } from '../kernel/type.js';
import { type ScalarOp, scalarOps } from '../scalar/scalar-op.js';
import { type Lane, defineElementwise, firstProblem, hasOperands, operandIs, sameOperands } from './define.js';
import { withFold } from '../fold/core-folds.js';
import { realRanges } from '../range/real.js';
import { dialect } from './op-table.js';

/** A function of floats: f32 or f64, alike in and out. In f32 the f64 value is rounded once. */
const floatFunction = (
  name: string,
  arity: number,
  summary: string,
  traits: OpDef['traits'],
  lane: Lane,
  lane32: Lane,
): OpDef =>
  defineElementwise(
    {
      name,
      summary,
      verify: (op) =>
        firstProblem(hasOperands(op, arity) ?? sameOperands(op) ?? operandIs(op, 0, 'f32 or f64', isFloat)),
      resultTypes: (operands) => [operands[0].type],
      traits,
    },
    (op) => (scalarOf(op.operands[0].type) === 'f64' ? lane : lane32),
  );

const fromRow = (row: ScalarOp): OpDef =>
  floatFunction(
    row.kernelOp,
    row.arity,
    row.summary,
    { commutative: row.commutative, associative: row.associative },
    row.evaluate as Lane,
    (a, b) => Math.fround(row.evaluate(a as number, b as number)),
  );

/** A target may round once; the interpreter rounds product and sum, as code without a fused instruction does. */
const fma = floatFunction(
  'math.fma',
  3,
  'a·b + c; the product may be left unrounded',
  {},
  (a, b, c) => (a as number) * (b as number) + (c as number),
  (a, b, c) => Math.fround(Math.fround((a as number) * (b as number)) + (c as number)),
);

/** Elementary functions: every `math` row of the scalar table, and `math.fma`. */
export const math = dialect(
  'math',
  [...scalarOps.filter((r) => r.kernelOp.startsWith('math.')).map(fromRow), fma].map((def) =>
    withFold({ ...def, ...(realRanges[def.name] && { range: realRanges[def.name] }) }),
  ),
);
