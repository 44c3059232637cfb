import { fail } from '../diagnostics/diagnostic.js';

/**
 * How close a traced program stays to the plain function it was made of. `exact`: the same results, bit for bit.
 * `range-keeping`: results may differ by rounding, but nothing overflows, underflows or becomes NaN that does not in the
 * plain function. `algebraic`: equal over the real numbers. See docs/numbers.md.
 */
export type Arithmetic = 'exact' | 'range-keeping' | 'algebraic';

/** All levels, the strictest first. */
export const ARITHMETICS: readonly Arithmetic[] = ['exact', 'range-keeping', 'algebraic'];

/** The level of whatever does not say otherwise; docs/decisions/arithmetic-levels.md says why. */
export const DEFAULT_ARITHMETIC = 'exact' satisfies Arithmetic;

/** A level as users name it. Throws `DiagnosticError` `graph/arithmetic`. */
export const arithmeticOf = (given: unknown): Arithmetic =>
  given === undefined
    ? DEFAULT_ARITHMETIC
    : (ARITHMETICS.find((a) => a === given) ??
      fail('graph/arithmetic', `there is no level of arithmetic '${String(given)}'`, {
        remedy: `use one of ${ARITHMETICS.join(', ')}`,
      }));
