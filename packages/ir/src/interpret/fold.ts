import { DiagnosticError, fail } from '../diagnostics/diagnostic.js';
import type { Machine, OpDef, RuntimeValue } from '../kernel/dialect.js';
import type { Op } from '../kernel/op.js';

/**
 * The results of one op on known values, for constant folding; undefined where it traps, has effects or owns regions,
 * so that folding never moves a trap to compile time.
 */
export const evaluateOp = (op: Op, def: OpDef, args: readonly RuntimeValue[]): readonly RuntimeValue[] | undefined => {
  if (op.regions.length > 0 || def.traits.terminator === true || def.effects(op).length > 0) return undefined;
  try {
    return def.evaluate(op, args, noMachine);
  } catch (e) {
    if (e instanceof DiagnosticError) return undefined;
    throw e;
  }
};

const noMachine: Machine = {
  buffer: (name) => fail('interpret/trap', `buffer @${name} is not known here`),
  region: () => fail('interpret/trap', 'regions are not run here'),
  trap: (op, message) => fail('interpret/trap', `${op.name}: ${message}`),
};
