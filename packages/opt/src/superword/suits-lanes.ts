import type { Op, Region } from '@filigree/ir';
import { loadStoreOf } from '../support/load-store.js';
import type { AffineForms } from '../support/affine.js';
import { constantOfOp } from '../support/constant-in.js';
import { isQuick } from '../support/cycles.js';
import type { Facts } from '../support/facts.js';

/**
 * Whether the iterations of an innermost loop make good lanes of vectors: it says that they are independent, and most of
 * its accesses are to neighbouring elements or to the same. Otherwise the number of elements that lanes would gather, which pays if much is computed with
 * them: `undefined` where lanes cannot do what is in the loop, or not all of it at once.
 */
export const suitsLanes = (loop: Op, forms: AffineForms, facts: Facts): true | number | undefined => {
  if (loop.name !== 'scf.for' || !['simd', 'independent', 'parallel'].some((a) => loop.attrs[a] === true))
    return undefined;
  const body = loop.regions[0]!;
  const iv = body.params[0]!;
  const varying = new Set(body.params.map((p) => p.id));
  const count = { even: 0, gathered: 0, calls: 0 };
  if (!visit(body, varying, count, { forms, facts }, iv.id)) return undefined;
  return count.gathered <= count.even || (count.calls === 0 ? count.gathered : undefined);
};

interface Counted {
  /** Accesses, and those that lanes do one by one. */
  even: number;
  gathered: number;
  /** Ops that compilers call functions for. */
  calls: number;
}

/** Counts accesses; false where something is inside that lanes cannot do together. */
const visit = (
  region: Region,
  varying: Set<number>,
  count: Counted,
  known: { readonly forms: AffineForms; readonly facts: Facts },
  iv: number,
): boolean =>
  region.ops.every((op) => {
    known.forms.note(op, constantOfOp(op, known.facts));
    if (op.operands.some((v) => varying.has(v.id))) for (const r of op.results) varying.add(r.id);
    if (op.name === 'scf.if') {
      for (const r of op.results) varying.add(r.id);
      return op.regions.every((r) => visit(r, varying, count, known, iv));
    }
    if (op.regions.length > 0) return false;
    const access = loadStoreOf(op);
    if (!access) {
      if (!isQuick(op)) count.calls++;
      return !op.name.startsWith('mem.');
    }
    const even = !varying.has(access.index.id) || isNext(known.forms.of(access.index).terms, varying, iv);
    count[even ? 'even' : 'gathered']++;
    return true;
  });

/** Whether a sum of terms grows by one from iteration to iteration. */
const isNext = (terms: string, varying: ReadonlySet<number>, iv: number): boolean =>
  terms.split('+').every((term) => {
    const [coefficient, id] = term.split('*').map(Number) as [number, number];
    return id === iv ? coefficient === 1 : !varying.has(id);
  });
