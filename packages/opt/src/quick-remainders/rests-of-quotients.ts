import { isFloat, mapKernels, rewriteOps, scalarOf, type Dialect, type Module, type Value } from '@filigree/ir';
import { constantIn } from '../support/constant-in.js';
import { factsOf } from '../support/facts.js';

/** See `quickRemainders`. */
export const restsOfQuotients = (module: Module, dialects: readonly Dialect[], fastMath: boolean): Module => {
  const facts = factsOf(dialects);
  return mapKernels(module, (kernel) =>
    rewriteOps(
      kernel,
      dialects,
      (op, ctx) => {
        if (op.name !== 'arith.rem' || !isFloat(op.results[0]!.type)) return undefined;
        const [x, divisor] = [op.operands[0]!, constantIn(op.operands[1]!, ctx.definition, facts)];
        if (typeof divisor !== 'number' || !isPowerOfTwo(divisor)) return undefined;
        return ctx.build((b) => {
          b.loc = op.loc;
          const number = (value: number): Value => {
            const one = b.constant(value, scalarOf(x.type));
            return b.lanes(x) > 1 ? b.splat(one, b.lanes(x)) : one;
          };
          const times = Math.abs(divisor);
          const whole = b.math('trunc', times === 1 ? x : b.mul(x, number(1 / times)));
          const rest = b.sub(x, times === 1 ? whole : b.mul(whole, number(times)));
          return [fastMath ? rest : b.select(b.cmp('eq', rest, number(0)), b.mul(x, number(0)), rest)];
        });
      },
      module.buffers,
    ),
  );
};

/** Whether a number is one, or its negative, whose reciprocal is exact in all types of floats. */
const isPowerOfTwo = (x: number): boolean =>
  Math.abs(x) >= 1 && Math.abs(x) <= MOST && Number.isInteger(Math.log2(Math.abs(x)));

const MOST = 2 ** 64;
