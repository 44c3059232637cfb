import { walk, type Module, type Op, type Pass } from '@filigree/ir';
import { rare } from '#lowering';
import type { Layout } from '../layout/layout.js';
import { runsInTurn } from './runs-in-turn.js';
import { changingIn } from './changing.js';
import { whereSome } from './where-some.js';

/**
 * Elements that a loop updates again and again stay in a value that it carries: of `for k { c[i][j] += a[i][k] * b[k][j] }` one sum, which is read before the loop and written behind it; and what it reads alone, as `a[i][k]` in `for (j = k + 1; …) a[i][j] -= a[i][k] * a[k][j]`. That is the same where no other thread
 * writes the element meanwhile and nothing else in the loop touches it; and then loops around may be lanes, since nothing in them is updated step by step.
 */
export const carryElements = (layout: Layout): Pass<Module> =>
  whereSome('carry-elements', layout, updatesInPlace, (...all) => rare().carryModule(...all));

/** Whether a loop runs one iteration after the other and writes the same element of a field in all of them, or reads it beside others that it writes. */
const updatesInPlace = (op: Op): boolean => {
  if (!runsInTurn(op)) return false;
  const [region] = op.regions;
  let changing: ReadonlySet<number> | undefined;
  const [same, written] = [new Set<unknown>(), new Set<unknown>()];
  walk(region!, ({ name, operands, attrs }) => {
    const writes = name === 'field.atomic' || name === 'field.store';
    if (!writes && name !== 'field.load') return;
    changing ??= changingIn(region!);
    if (writes) written.add(attrs['field']);
    if (operands.slice(writes ? 1 : 0).every(({ id }) => !changing!.has(id))) same.add(attrs['field']);
  });
  return [...written].some((field) => same.has(field));
};
