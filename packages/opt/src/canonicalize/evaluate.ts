import {
  DiagnosticError,
  evaluateOp,
  fail,
  isVector,
  type Buffers,
  type Machine,
  type Op,
  type OpDef,
  type RuntimeValue,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { isEmpty } from '../support/facts.js';
import { uniform } from '../support/constant-in.js';
import type { CanonicalizeContext } from './context.js';

/**
 * Runs an op on constants by its own evaluator: a pure one, or one that only reads `const` buffers. What would trap is
 * left as it is.
 */
export const evaluateConstants = (op: Op, context: CanonicalizeContext): Value | undefined => {
  const def = context.facts.def(op);
  if (!def || def.traits.constant || op.operands.length === 0) return undefined;
  const args: RuntimeValue[] = [];
  for (const v of op.operands) {
    const c = context.constantOf(v);
    if (c === undefined) return undefined;
    args.push(isVector(v.type) ? new Array<Scalar>(v.type.lanes).fill(c) : c);
  }
  const { reads, writes, external } = context.facts.footprint(op);
  if (external || !isEmpty(writes)) return undefined;
  const values = isEmpty(reads) ? evaluateOp(op, def, args) : readConstants(op, def, args, context.buffers);
  const scalar = values?.[0] === undefined ? undefined : uniform(values[0]);
  return scalar === undefined ? undefined : context.constant(scalar, op.results[0]!.type);
};

const readConstants = (
  op: Op,
  def: OpDef,
  args: readonly RuntimeValue[],
  buffers: Buffers,
): readonly RuntimeValue[] | undefined => {
  try {
    return def.evaluate(op, args, constantMemory(buffers));
  } catch (e) {
    if (e instanceof DiagnosticError) return undefined;
    throw e;
  }
};

/** The machine at compile time: of all memory it knows the constant data alone. */
const constantMemory = (buffers: Buffers): Machine => ({
  buffer: (name) => {
    const buffer = buffers.get(name);
    return buffer?.role === 'const' && buffer.data
      ? buffer.data
      : fail('opt/memory', `the contents of @${name} are not known`);
  },
  region: () => fail('opt/region', 'regions are not run at compile time'),
  trap: (trapped, message) => fail('opt/trap', `${trapped.name}: ${message}`),
});
