import {
  mapKernels,
  sameType,
  substituteOperands,
  opWith,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { affineForms } from '../support/affine.js';
import { corePass } from '../support/core-pass.js';
import { constantOfOp } from '../support/constant-in.js';
import { accessIn, branches, clobbered, factsOf, type BufferSet, type Facts } from '../support/facts.js';
import { isParallelLoop, losesScratch, scratchOf } from '../support/scratch.js';
import { withoutDeadStores } from './dead-stores.js';
import { elementMap, placeOf } from './element-map.js';
import { withoutPrivateAtomics } from './private-atomics.js';

/**
 * Forwards values through memory. A load takes the value of the last store to its element, or of an earlier load of it.
 * A store is dropped if it writes what is there already, or if a later store of the same region overwrites it before
 * anything can read it. Two indices are told apart when both are affine in the same values: they are then either equal
 * or differ by a constant; all others may be equal. Atomics and unknown ops invalidate what is known about their
 * buffer; a loop does so for everything that it writes, before its first iteration and after its last. A scratch buffer
 * is private: an atomic on one is a load and a store, and a store to one that is not read again is dropped. Nothing is known
 * of one after a parallel loop, whose iterations have their own.
 */
export const storeForwarding = corePass('store-forwarding', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) => {
    const scratch = scratchOf(module.buffers);
    return mapKernels(module, (k) => {
      const forwarded = forwardKernel(withoutPrivateAtomics(k, dialects, module.buffers, scratch), facts, scratch);
      const body = withoutDeadStores(forwarded.body, facts, affineForms(), scratch);
      return body === forwarded.body ? forwarded : { ...forwarded, body };
    });
  };
});

const forwardKernel = (kernel: Kernel, facts: Facts, scratch: ReadonlySet<string>): Kernel => {
  const now = new Map<number, Value>();
  const memory = elementMap<Value>();
  const forms = affineForms();
  const ownScratch: BufferSet = { any: false, names: scratch };
  let inParallel = false;

  const visit = (op: Op): Op | undefined => {
    const current = substituteOperands(op, now);
    if (current.regions.length > 0) return visitRegions(current);
    forms.note(current, constantOfOp(current, facts));
    const access = accessIn(current, facts);
    if (!access?.value) {
      memory.forgetBuffers(clobbered(facts.footprint(current)));
      return current;
    }
    const { kind, value } = access;
    const place = placeOf(access, forms);
    const held = memory.get(place);
    if (kind === 'read') {
      if (held && current.results.length === 1 && sameType(held.type, value.type)) {
        now.set(value.id, held);
        return undefined;
      }
      memory.set(place, value);
      return current;
    }
    if (held?.id === value.id && current.results.length === 0) return undefined;
    memory.forgetOverlaps(place);
    memory.set(place, value);
    return current;
  };

  const visitRegions = (op: Op): Op => {
    const changed = clobbered(facts.footprint(op));
    const outside = !inParallel;
    const loses = outside && scratch.size > 0 && losesScratch(op, facts);
    const forget = (): void => {
      memory.forgetBuffers(changed);
      if (loses) memory.forgetBuffers(ownScratch);
    };
    // A branch begins with what is known before it; an iteration may follow another one that wrote.
    if (!branches(op, facts)) forget();
    inParallel ||= isParallelLoop(op, facts);
    const regions = op.regions.map((r) => {
      const mark = memory.mark();
      const result = visitRegion(r);
      memory.rollback(mark);
      return result;
    });
    if (outside) inParallel = false;
    forget();
    return regions.every((r, i) => r === op.regions[i]) ? op : opWith(op, { regions });
  };

  const visitRegion = (region: Region): Region => {
    const ops: Op[] = [];
    let same = true;
    for (const op of region.ops) {
      const kept = visit(op);
      if (kept) ops.push(kept);
      if (kept !== op) same = false;
    }
    return same ? region : { params: region.params, ops };
  };

  const body = visitRegion(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
};
