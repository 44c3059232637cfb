import type { AnyField } from 'filigree';
import { randomNumbers } from '../meshes/random.js';
import type { Optimised } from './differentiated.js';

/** The weights and biases of a network of two layers, as what is optimised, and where that begins (Glorot, Bengio 2010). */
export const twoLayers = (
  { w1, w2, b1, b2 }: Readonly<Record<'w1' | 'w2' | 'b1' | 'b2', AnyField>>,
  { inputs, hidden, outputs }: { readonly inputs: number; readonly hidden: number; readonly outputs: number },
  seed: number,
): { readonly by: readonly Optimised[]; readonly start: Float64Array } => {
  const random = randomNumbers(seed);
  const [first, second] = [hidden * inputs, outputs * hidden];
  return {
    by: [
      { field: w1, to: [hidden, inputs] },
      { field: w2, to: [outputs, hidden] },
      { field: b1, to: [hidden] },
      { field: b2, to: [outputs] },
    ],
    start: Float64Array.from({ length: first + second + hidden + outputs }, (_, n) =>
      n < first + second ? 2 * (random() - 0.5) * Math.sqrt(6 / (n < first ? hidden + inputs : hidden + outputs)) : 0,
    ),
  };
};
