import { members, type Pack } from './pack.js';

/** A pack, or the position of an op that is in none. */
export type Step = Pack | number;

/**
 * The ops of a block with each pack as one step, every step after those it depends on and otherwise in the original
 * order. A pack that would have to stand before itself is broken up.
 *
 * @param dependences by position, the positions of earlier ops that must stay before it
 * @param operandsOf the positions of the ops that make a pack's operands
 */
export const schedule = (
  packs: readonly Pack[],
  dependences: readonly (readonly number[])[],
  operandsOf: (p: Pack) => readonly number[],
): { readonly steps: readonly Step[]; readonly dropped?: Pack } => {
  const packOf = new Map<number, Pack>();
  for (const p of packs) for (const at of members(p)) packOf.set(at, p);
  const stepOf = (at: number): Step => packOf.get(at) ?? at;
  const before = (s: Step): readonly Step[] =>
    typeof s === 'number'
      ? dependences[s]!.map(stepOf)
      : [...members(s).flatMap((at) => dependences[at]!), ...operandsOf(s)].map(stepOf);
  const state = new Map<Step, 'open' | 'done'>();
  const steps: Step[] = [];
  for (let at = 0; at < dependences.length; at++) {
    const path: { readonly step: Step; readonly rest: Step[] }[] = [];
    const enter = (step: Step): void => {
      state.set(step, 'open');
      path.push({ step, rest: [...before(step)].reverse() });
    };
    if (!state.has(stepOf(at))) enter(stepOf(at));
    while (path.length > 0) {
      const { step, rest } = path[path.length - 1]!;
      const next = rest.pop();
      if (next === undefined) {
        state.set(step, 'done');
        steps.push(step);
        path.pop();
      } else if (state.get(next) === 'open') {
        const cycle = path.slice(path.findIndex((p) => p.step === next));
        return { steps: [], dropped: cycle.map((p) => p.step).find((s): s is Pack => typeof s !== 'number')! };
      } else if (!state.has(next)) enter(next);
    }
  }
  return { steps };
};
