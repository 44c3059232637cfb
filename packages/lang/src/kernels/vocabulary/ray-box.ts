import { inlined, libraryFunction } from './inline.js';
import type { Vec } from './vec-types.js';

/**
 * Where the ray origin + t direction, t ≥ 0, enters a box between two corners and leaves it (Kay & Kajiya 1986): `[enter, leave]`.
 * It misses the box where it would leave before it enters.
 */
export const rayBox = libraryFunction(
  'rayBox',
  inlined(
    <N extends number>(origin: Vec<N>, direction: Vec<N>, low: Vec<N>, high: Vec<N>): readonly [number, number] => {
      const [a, b] = [low.sub(origin).div(direction), high.sub(origin).div(direction)];
      return [Math.max(a.min(b).greatest(), 0), a.max(b).least()];
    },
  ),
);
