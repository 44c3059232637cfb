import { fail } from '@filigree/ir';

/** Refuses an option of a pass that is not a whole number of at least `least`, with `opt/option`. */
export const checkCount = (passName: string, option: string, value: number, least: number): void => {
  if (!Number.isSafeInteger(value) || value < least)
    fail('opt/option', `${passName}: ${option} = ${String(value)} is not a whole number of at least ${least}`, {
      remedy: `give a whole number, as in ${passName}{${option}=${Math.max(least, 4)}}`,
    });
};
