import { isFloat, mapKernels, rewriteOps, scalarOf } from '@filigree/ir';
import { constantIn } from './support/constant-in.js';
import { corePass } from './support/core-pass.js';
import { factsOf } from './support/facts.js';

/**
 * Remainders of floats by constant powers of two from 1 on, `x % 1` and `n % 2`, without a division: `x - c · trunc(x / c)` is exact, as the quotient by such a number is, and goes on lanes, where
 * others are a function that subtracts bit by bit. A range is told of a remainder, not of what this becomes: whatever asks for ranges comes before.
 *
 * Option `fastMath` (default false): what is left of a negative number may be 0 where it is -0.
 */
export const quickRemainders = corePass(
  'quick-remainders',
  { fastMath: false as boolean },
  (dialects, { fastMath }) => {
    const facts = factsOf(dialects);
    return (module) =>
      mapKernels(module, (kernel) =>
        rewriteOps(
          kernel,
          dialects,
          (op, ctx) => {
            if (op.name !== 'arith.rem' || !isFloat(op.results[0]!.type)) return undefined;
            const [x, divisor] = [op.operands[0]!, constantIn(op.operands[1]!, ctx.definition, facts)];
            if (typeof divisor !== 'number' || !isPowerOfTwo(divisor)) return undefined;
            return ctx.build((b) => {
              b.loc = op.loc;
              const number = (value: number) => {
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
  },
);

/** Whether a number is one, or its negative, whose reciprocal is exact in all types of floats. */
const isPowerOfTwo = (x: number): boolean =>
  Math.abs(x) >= 1 && Math.abs(x) <= MOST && Number.isInteger(Math.log2(Math.abs(x)));

const MOST = 2 ** 64;
