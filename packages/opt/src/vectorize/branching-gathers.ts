import type { Kernel, Op, Region } from '@filigree/ir';
import { affineForms, type AffineForms } from '../support/affine.js';
import { constantOfOp } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { isQuick } from '../support/cycles.js';
import type { Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { takesLanes } from '../support/takes-lanes.js';
import { counterOf, offLanes } from './off-lanes.js';
import { laneVaryingIn } from './lane-varying.js';

/**
 * Keeps loops off lanes whose branches gather and scatter much: lanes do what all arms ask for, element by element, and one iteration after the other does what one
 * arm does. Interpolation from a coarse grid by the parity of a node, with 1, 2, 2 and 4 elements in its arms, took 5 times as long on lanes. Such a loop says `lanes = 1`. It stays on lanes
 * where it has functions that are calls, of which lanes have their own.
 */
export const branchingGathers = corePass('branching-gathers', {}, (dialects) => offLanes(dialects, branching));

/** Elements that lanes move for nothing from which on that costs more than a branch does that is guessed wrong. */
const MANY = 4;

/** The counters of such loops. */
const branching = ({ body }: Kernel, facts: Facts): ReadonlySet<number> => {
  const found = new Set<number>();
  const forms = affineForms();
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      forms.note(op, constantOfOp(op, facts));
      op.regions.forEach(visit);
      if (!mayTakeLanes(op)) continue;
      const { all, most } = apartIn(op.regions[0]!, elementsApart(op, forms));
      if (all - most >= MANY) found.add(counterOf(op));
    }
  };
  visit(body);
  return found;
};

const mayTakeLanes = (op: Op): boolean =>
  takesLanes(op) && op.attrs['simd'] !== false && op.attrs['lanes'] !== 1 && isQuickIn(op.regions[0]!);

const isQuickIn = ({ ops }: Region): boolean => ops.every((op) => isQuick(op) && op.regions.every(isQuickIn));

/** Whether an op moves an element that lies apart from those of the iterations beside it. */
const elementsApart = (loop: Op, forms: AffineForms): ((op: Op) => boolean) => {
  const counter = counterOf(loop);
  const varying = laneVaryingIn(loop);
  return (op) => {
    const access = loadStoreOf(op);
    if (!access || !varying.has(access.index.id)) return false;
    const coefficients = forms.coefficients(access.index);
    const stride = coefficients.get(counter);
    return (
      (stride !== 1n && stride !== -1n) || [...coefficients.keys()].some((id) => id !== counter && varying.has(id))
    );
  };
};

/** How many ops of a region are such in all, and on the way through its branches on which most are. */
const apartIn = ({ ops }: Region, isApart: (op: Op) => boolean): { readonly all: number; readonly most: number } => {
  let [all, most] = [0, 0];
  for (const op of ops) {
    const own = isApart(op) ? 1 : 0;
    const arms = op.regions.map((r) => apartIn(r, isApart));
    all += own + arms.reduce((sum, arm) => sum + arm.all, 0);
    most += own + Math.max(0, ...arms.map((arm) => arm.most));
  }
  return { all, most };
};
