import { hostWords, nextRandom, randomFloat, randomInteger, startRandom, type RandomState } from './random.js';

/* The random numbers of kernel bodies that run on the host. It is the one state of the vocabulary. */
let state: RandomState<number> = startRandom(hostWords, 0, []);
let inParallelLoop = false;

/** On the host: begins as a launch with this seed does. */
export const seedRandom = (seed: number): void => {
  state = startRandom(hostWords, hostWords.constant(seed), []);
};

/** A random number, uniform in [0, 1), a multiple of 2⁻²⁴. The same in kernels and on the host for the same seed. */
export const random = (): number => hostWords.shr(draw(), randomFloat.shift) * randomFloat.scale;

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
