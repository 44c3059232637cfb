import { fail } from '@filigree/ir';

/** With how many neighbours a cell is born, and with how many it survives. */
export interface LifeRule {
  readonly birth: readonly number[];
  readonly survival: readonly number[];
}

/** Reads a rule such as `B3/S23`, which newer files write as `b3s23`, older ones as `23/3`. Error: `life/rule`. */
export const lifeRule = (text: string): LifeRule => {
  const [, survived, born] = /^([0-8]*)\/([0-8]*)$/.exec(text) ?? [];
  const [, birth, survival] =
    /^B([0-8]*)\/?S([0-8]*)$/i.exec(survived === undefined ? text : `B${born}/S${survived}`) ??
    fail('life/rule', `'${text}' is no rule`, { remedy: 'write the numbers of neighbours, such as B3/S23' });
  if (birth.includes('0'))
    fail('life/rule', `with '${text}' cells are born everywhere in empty space`, { remedy: 'use a rule without B0' });
  const digits = (list: string): readonly number[] => [...new Set([...list].map(Number))];
  return { birth: digits(birth), survival: digits(survival) };
};
