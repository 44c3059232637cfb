import { bindArithmetic } from './arithmetic.js';
import { bindChoice } from './choice.js';
import { bindElements } from './elements.js';
import { bindMath } from './math.js';
import { bindLoops } from './loops.js';
import type { NumericOps } from './numeric-ops.js';
import type { Source } from '../../source/place.js';
import { symbolsOf } from './symbols.js';

/**
 * What rewritten code calls in place of its operators. Every function takes the place of the operator last. On two plain
 * numbers each does what JavaScript does, at the price of two `typeof`; small functions that V8 inlines were measured
 * faster on numbers than the same test written out at every operator.
 */
export type Bound = ReturnType<typeof bindOps>;

/** Binds operators to their meaning on symbols and to the source text that sites refer to. */
export const bindOps = <S>(ops: NumericOps<S>, source: Source) => {
  const symbols = symbolsOf(ops as NumericOps, source);
  const choice = bindChoice(symbols);
  return {
    ...bindArithmetic(symbols),
    ...choice,
    ...bindElements(symbols, choice.known),
    ...bindMath(symbols),
    ...bindLoops(ops as NumericOps, source),
  };
};
