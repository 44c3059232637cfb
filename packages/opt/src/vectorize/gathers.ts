import { isFloat, type Op } from '@filigree/ir';
import { loadStoreOf } from '../support/load-store.js';
import { ARITHMETIC_PER_LANE_BY_LANE, inRegisters } from '../support/lane-arithmetic.js';
import { terminatorOf } from '../support/values.js';

/**
 * Whether an innermost loop gathers floats by indices that it reads from memory, and does nothing with floats but
 * arithmetic that vector registers have, and few choices beside it, as derivatives of roots have one at 0: these are made lane by lane. Compilers that vectorise such a loop read the indices
 * as vectors and take these apart again, which costs more than reading them one by one; gathers at even distances they see through.
 */
export const gathersForArithmetic = (loop: Op): boolean => {
  const region = loop.regions[0]!;
  const last = terminatorOf(region);
  const read = new Set<number>();
  let gathers = false;
  let [arithmetic, choices] = [0, 0];
  for (const op of region.ops) {
    if (op === last) continue;
    const access = loadStoreOf(op);
    const float = [...op.operands, ...op.results].some((v) => isFloat(v.type));
    if (access ? !isFloat(access.element.type) && access.kind === 'store' : float && !inRegisters.has(op.name)) {
      if (access || !isChoice.has(op.name)) return false;
      choices++;
    } else if (float && !access) arithmetic++;
    if (access && isFloat(access.element.type)) gathers ||= access.kind === 'load' && read.has(access.index.id);
    else if (access || op.operands.some((v) => read.has(v.id))) for (const v of op.results) read.add(v.id);
  }
  return gathers && choices * ARITHMETIC_PER_LANE_BY_LANE <= arithmetic;
};

const isChoice: ReadonlySet<string> = new Set(['arith.cmp', 'arith.select']);
