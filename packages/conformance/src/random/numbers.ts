import { randoms } from '../values.js';

/** Numbers from a list, in order; zeros where it has ended, so that a shorter list is a simpler choice everywhere. */
export class Numbers {
  private at = 0;

  constructor(private readonly list: readonly number[]) {}

  /** One of 0 … n − 1. */
  below(n: number): number {
    return (this.list[this.at++] ?? 0) % n;
  }

  one<A>(of: readonly A[]): A {
    return of[this.below(of.length)]!;
  }

  get done(): boolean {
    return this.at >= this.list.length;
  }
}

/** A list of so many numbers from 0 to 2¹⁶ − 1, the same for a seed. */
export const drawn = (seed: number, count: number): readonly number[] => {
  const next = randoms(seed);
  return Array.from({ length: count }, () => Math.floor(2 ** 16 * next()));
};

/** Lists that are simpler: stretches left out, long ones first, then single numbers that are smaller. */
export function* simpler(list: readonly number[]): Generator<readonly number[]> {
  for (let size = list.length; size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at + size <= list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)];
  for (const [at, x] of list.entries())
    for (const less of new Set([0, Math.floor(x / 2), x - 1])) if (less >= 0 && less < x) yield list.with(at, less);
}
