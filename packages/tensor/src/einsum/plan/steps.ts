import { sameLayout } from '../layout/tensor-layout.js';
import { ONE, timesCoefficient } from '../notation/build.js';
import type { Action, Operand } from './plan.js';
import { type ActionList, isTemporary, reads, sourcesOf, type Step, writes } from './state.js';

/** (1) `A = f(…); B = α·A` becomes `B = α·f(…)`, where A is a temporary that nothing else reads. */
export const mergeScalarMultiplications: Step = {
  name: 'merge-scalar-multiplications',
  run: ({ actions }) => {
    const out = [...actions];
    for (let j = 0; j < out.length; j++) {
      const { operation, add, scale, target } = out[j];
      if (operation.kind !== 'copyscaleadd' || add || isOne(out[j])) continue;
      if (!keepsPlaces(target, operation.source)) continue;
      const i = onlyDefinition(out, operation.source.name, j);
      if (i === undefined) continue;
      // It stays where f was: nothing in between knows the target.
      if (out.slice(i, j).some((a) => touches(a, target.name))) continue;
      out[i] = { ...out[i], target, scale: timesCoefficient(scale, out[i].scale) };
      out.splice(j--, 1);
    }
    return { actions: out };
  },
};

/**
 * (2) What is needed after each action: outputs at the end, and whatever a later action reads before it is overwritten.
 */
export const analyseLiveness: Step = {
  name: 'liveness-analysis',
  run: ({ actions }) => ({ actions, live: liveAfter(actions) }),
};

/** (3) After `t = A` with a temporary t: A itself in place of t, where A's old value is not needed any more. */
export const substituteForward: Step = {
  name: 'substitute-forward',
  run: ({ actions }) => {
    let out = actions;
    for (let i = 0; i < out.length; i++) {
      const { target, operation } = out[i];
      if (!isPlainCopy(out[i]) || operation.kind !== 'copyscaleadd') continue;
      if (isTemporary(target.name) && canStandFor(out, i, target.name, operation.source.name))
        out = rename(out, i, out.length, target.name, operation.source);
    }
    return { actions: out };
  },
};

/** (4) Before `A = t` with a temporary t: A itself in place of t, from where t is first written. */
export const substituteBackward: Step = {
  name: 'substitute-backward',
  run: ({ actions }) => {
    let out = actions;
    for (let j = 0; j < out.length; j++) {
      const { target, operation } = out[j];
      if (!isPlainCopy(out[j]) || operation.kind !== 'copyscaleadd') continue;
      const t = operation.source.name;
      if (!isTemporary(t) || t === target.name) continue;
      const i = out.findIndex((a) => writes(a, t));
      if (i < 0 || i > j || out[i].add) continue;
      const free =
        out.slice(i + 1, j).every((a) => !touches(a, target.name)) &&
        out.slice(j + 1).every((a) => !touches(a, t)) &&
        (!reads(out[i], target.name) || isInPlace(out[i], target));
      if (free) out = rename(out, i, j + 1, t, target);
    }
    return { actions: out };
  },
};

/** (5) Drops `A = A`, which does nothing. */
export const removeEmptyStatements: Step = {
  name: 'remove-empty-statements',
  run: ({ actions }) => ({
    actions: actions.filter(
      (a) => !(isPlainCopy(a) && a.operation.kind === 'copyscaleadd' && a.operation.source.name === a.target.name),
    ),
  }),
};

/** (6) `A = f(…); B += A` becomes `B += f(…)`, and the same for `=`, where A is a temporary that nothing else reads. */
export const mergeActions: Step = {
  name: 'merge-actions',
  run: ({ actions }) => {
    const out = [...actions];
    for (let j = 0; j < out.length; j++) {
      const { operation, target, scale, add } = out[j];
      if (operation.kind !== 'copyscaleadd' || !keepsPlaces(target, operation.source)) continue;
      const i = onlyDefinition(out, operation.source.name, j);
      if (i === undefined) continue;
      const f = out[i];
      if (reads(f, target.name) && !isInPlace(f, target)) continue;
      const merged: Action = { ...f, target, add, scale: timesCoefficient(scale, f.scale) };
      // Early where that is possible: what f reads is then free for others sooner.
      if (out.slice(i + 1, j).every((a) => !touches(a, target.name))) {
        out[i] = merged;
        out.splice(j, 1);
      } else if (isUnchanged(out, sourcesOf(f), i, j)) {
        out[j] = merged;
        out.splice(i, 1);
      } else continue;
      j--;
    }
    return { actions: out };
  },
};

/** Whether nothing happens to a copy but that values move to the same places of another tensor. */
const isPlainCopy = (a: Action): boolean =>
  a.operation.kind === 'copyscaleadd' && !a.add && isOne(a) && keepsPlaces(a.target, a.operation.source);

const isOne = ({ scale }: Action): boolean => scale.factor === ONE.factor && scale.scalars.length === 0;

const keepsPlaces = (a: Operand, b: Operand): boolean => a.indices === b.indices && sameLayout(a.layout, b.layout);

const touches = (a: Action, name: string): boolean => writes(a, name) || reads(a, name);

/** An element-wise action that reads each entry of the target where it writes it. */
const isInPlace = ({ operation, add }: Action, target: Operand): boolean =>
  !add && operation.kind === 'copyscaleadd' && keepsPlaces(operation.source, target);

/** Whether an action reads entries of a tensor elsewhere than where it writes. */
const movesFrom = (action: Action, name: string): boolean =>
  sourcesOf(action).some((o) => o.name === name && (action.operation.kind === 'log' || !keepsPlaces(action.target, o)));

/** The one action before `at` that writes a temporary, where `at` alone reads it. */
const onlyDefinition = (actions: readonly Action[], name: string, at: number): number | undefined => {
  if (!isTemporary(name)) return undefined;
  const defined = actions.flatMap((a, i) => (writes(a, name) ? [i] : []));
  const used = actions.flatMap((a, i) => (reads(a, name) ? [i] : []));
  return defined.length === 1 && !actions[defined[0]].add && defined[0] < at && used.length === 1
    ? defined[0]
    : undefined;
};

/** Whether the operands of action i still have the same values at action j. */
const isUnchanged = (actions: readonly Action[], operands: readonly Operand[], i: number, j: number): boolean =>
  actions.slice(i + 1, j).every((a) => operands.every((o) => !writes(a, o.name)));

/**
 * Whether `s` can be used for the temporary `t` after the copy at `i`: from where one of the two changes, the old value of
 * the other must not be needed, until `s = t` makes them one again.
 */
const canStandFor = (actions: readonly Action[], i: number, t: string, s: string): boolean => {
  let changedT = false;
  let changedS = false;
  for (const a of actions.slice(i + 1)) {
    if (isPlainCopy(a) && writes(a, s) && reads(a, t)) {
      if (changedS) return false;
      changedT = false;
      continue;
    }
    if ((reads(a, s) && changedT) || (reads(a, t) && changedS)) return false;
    // Entries of the one go into the other: where they are the same, each must still be there when it is read.
    if ((writes(a, t) && movesFrom(a, s)) || (writes(a, s) && movesFrom(a, t))) return false;
    if (writes(a, s)) {
      if (!a.add && changedT) return false;
      changedS = true;
    }
    if (writes(a, t)) changedT = true;
  }
  return isTemporary(s) || !changedT;
};

/** The name and places of `to` for `from` in some actions; letters and patterns stay those of each use. */
const rename = (
  actions: readonly Action[],
  begin: number,
  end: number,
  from: string,
  to: Operand,
): readonly Action[] => {
  const operand = (o: Operand): Operand => (o.name === from ? { ...o, name: to.name, layout: to.layout } : o);
  return actions.map((a, n) => {
    if (n < begin || n >= end) return a;
    const operation =
      'source' in a.operation
        ? { ...a.operation, source: operand(a.operation.source) }
        : { ...a.operation, left: operand(a.operation.left), right: operand(a.operation.right) };
    return { ...a, target: operand(a.target), operation };
  });
};

const liveAfter = (actions: readonly Action[]): readonly ReadonlySet<string>[] => {
  const names = actions.flatMap((a) => [a.target.name, ...sourcesOf(a).map((o) => o.name)]);
  let live: ReadonlySet<string> = new Set(names.filter((n) => !isTemporary(n)));
  const out: ReadonlySet<string>[] = [];
  for (let i = actions.length - 1; i >= 0; i--) {
    out[i] = live;
    const a = actions[i];
    const before = new Set(live);
    before.delete(a.target.name);
    for (const { name } of sourcesOf(a)) before.add(name);
    if (a.add) before.add(a.target.name);
    live = before;
  }
  return out;
};

/** The steps of §4.7 in their order; (7) makes buffers of the temporaries, see `assignBuffers`. */
export const defaultSteps: readonly Step[] = [
  mergeScalarMultiplications,
  analyseLiveness,
  substituteForward,
  substituteBackward,
  removeEmptyStatements,
  mergeActions,
];

/** Runs steps in order on the actions of a plan. */
export const runSteps = (actions: readonly Action[], steps: readonly Step[]): ActionList =>
  steps.reduce<ActionList>((list, step) => step.run(list), { actions });
