import { rotationAdjoint } from './decomposition-adjoints.js';
import { inlined, libraryFunction } from './inline.js';
import type { Mat } from './vec-types.js';
import { withGradient } from './with-gradient.js';

const NEWTON_STEPS = 6;

/**
 * The rotation nearest to a matrix that does not reflect, R of its polar decomposition, by Newton's iteration R ← (R + R⁻ᵀ) / 2
 * (Higham 1986): six steps, exact in f32 where stretches are between a quarter and four times. Much cheaper than `polar3`, which
 * takes any matrix.
 */
export const nearestRotation: <N extends number>(F: Mat<N, N>) => Mat<N, N> = libraryFunction(
  'nearestRotation',
  withGradient(
    inlined(
      <N extends number>(F: Mat<N, N>): Mat<N, N> => {
        let R = F;
        for (let step = 0; step < NEWTON_STEPS; step++) R = R.add(R.inverse().transpose()).div(2);
        return R;
      },
      { NEWTON_STEPS },
    ),
    inlined(
      <N extends number>(F: Mat<N, N>, R: Mat<N, N>, byR: Mat<N, N>): Mat<N, N> =>
        rotationAdjoint(R, R.transpose().mul(F), byR),
      { rotationAdjoint },
    ),
  ),
);
