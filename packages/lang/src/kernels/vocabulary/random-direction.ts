import { random } from './host-random.js';
import { inlined, libraryFunction } from './inline.js';
import type { Vec } from './vec-types.js';
import { vec } from './vec.js';

/* Names that nothing else in this package has, since bundlers rewrite those of imports. */
const uniformNumber = random;
const directionOf = vec;

/** A unit vector in three dimensions, each direction as likely as another, from two random numbers (Archimedes' cylinder). */
export const randomDirection = libraryFunction(
  'randomDirection',
  inlined(
    (): Vec<3> => {
      const [z, phi] = [1 - 2 * uniformNumber(), 2 * Math.PI * uniformNumber()];
      const r = Math.sqrt(Math.max(0, 1 - z * z));
      return directionOf(r * Math.cos(phi), r * Math.sin(phi), z);
    },
    { uniformNumber, directionOf },
  ),
);
