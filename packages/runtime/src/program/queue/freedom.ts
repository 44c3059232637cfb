import type { CompileOptions } from '@filigree/backend';

/** What a compiler may do to floating-point arithmetic. */
export type FastMath = NonNullable<CompileOptions['fastMath']>;

/** From what leaves every bit as it is to what leaves least. */
const LEVELS: readonly FastMath[] = [false, 'contract', true];

/** What may be done to all of several. */
export const strictest = (all: Iterable<FastMath>): FastMath =>
  LEVELS[Math.min(...[...all].map((one) => LEVELS.indexOf(one)))];

/** This, and what is stricter. */
export const upTo = (most: FastMath): readonly FastMath[] => LEVELS.slice(0, LEVELS.indexOf(most) + 1);
