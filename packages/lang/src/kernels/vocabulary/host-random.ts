import { fail, launchSeed } from '@filigree/ir';
import {
  hostWords,
  moreBits,
  nextRandom,
  randomDouble,
  randomInteger,
  startRandom,
  type RandomState,
} from './random.js';

/* The random numbers of kernel bodies that run on the host. It is the one state of the vocabulary. */
let state: RandomState<number> = startRandom(hostWords, launchSeed(0, 0), []);
let inParallelLoop = false;

/**
 * On the host: begins as a launch of a program with this seed does: its first that draws random numbers, or the one after `launch`
 * others. Throws `lang/seed` on what is no seed.
 */
export const seedRandom = (seed: number, launch = 0): void => {
  for (const n of [seed, launch])
    if (!Number.isInteger(n) || n < 0 || n > 0xffffffff)
      fail('lang/seed', `a seed is a whole number from 0 to 4294967295, not ${n}`);
  state = startRandom(hostWords, launchSeed(seed, launch), []);
};

/**
 * A random number, uniform in [0, 1): a multiple of 2⁻⁵³ on the host and in kernels of f64, the same for the same seed; in
 * kernels of f32 that number cut off to a multiple of 2⁻²⁴.
 */
export const random = (): number => {
  const more = hostWords.shr(moreBits(hostWords, state), randomDouble.more.shift);
  return draw() * randomDouble.scale + more * randomDouble.more.scale;
};

/** A random integer, uniform in 0 ≤ n < 2³¹. */
export const randomInt = (): number => hostWords.shr(draw(), randomInteger.shift);

/**
 * Runs through the iterations of a loop and gives each its own random numbers, as they would have in parallel. Within
 * an iteration of another such loop it only runs through them.
 */
export function* parallel<T extends number | readonly number[]>(
  iterations: Iterable<T>,
): Generator<T, void, undefined> {
  if (inParallelLoop) return yield* iterations as Generator<T, void, undefined>;
  const seed = draw();
  const body = state;
  inParallelLoop = true;
  try {
    for (const at of iterations) {
      const coordinates = typeof at === 'number' ? [at] : [...(at as readonly number[])];
      state = startRandom(hostWords, seed, coordinates.map(hostWords.constant));
      yield at;
    }
  } finally {
    state = body;
    inParallelLoop = false;
  }
}

const draw = (): number => {
  const next = nextRandom(hostWords, state);
  state = next.state;
  return next.bits;
};
