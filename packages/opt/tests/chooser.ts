import type { Choose } from './random-module.js';

/** Takes the choices one after the other, and again from the start when they are used up. */
export const chooser = (choices: readonly number[]): Choose => {
  let at = 0;
  return (n) => choices[at++ % choices.length]! % n;
};

/** Picks one of several by the next choice. */
export const picker =
  (choose: Choose) =>
  <T>(of: readonly T[]): T =>
    of[choose(of.length)]!;
