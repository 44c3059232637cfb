import {
  mapKernels,
  opKey,
  scopedMap,
  substituteOperands,
  opWith,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { corePass } from './support/core-pass.js';
import { branches, clobbered, factsOf, type BufferSet, type Facts, type Footprint } from './support/facts.js';

/**
 * Common subexpression elimination: of two equal ops, the second is dropped if the first comes before it on every path
 * (an earlier op of the same or an enclosing region). Reads of memory are equal as long as nothing between them may
 * write, free or update that buffer, in this iteration or another one.
 */
export const cse = corePass('cse', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) => mapKernels(module, (k) => cseKernel(k, facts));
});

const cseKernel = (kernel: Kernel, facts: Facts): Kernel => {
  const now = new Map<number, Value>();
  const available = scopedMap<readonly Value[]>();
  const versions = memoryVersions();

  const visit = (op: Op): Op | undefined => {
    const current = substituteOperands(op, now);
    if (current.regions.length > 0) return visitRegions(current);
    const footprint = facts.footprint(current);
    const key = keyOf(current, footprint);
    if (key !== undefined) {
      const same = available.get(key);
      if (same) {
        current.results.forEach((v, i) => now.set(v.id, same[i]!));
        return undefined;
      }
      available.set(key, current.results);
    }
    versions.bump(clobbered(footprint));
    return current;
  };

  /** The key of an op that may be merged with its equal, else nothing. */
  const keyOf = (op: Op, footprint: Footprint): string | undefined => {
    const def = facts.def(op);
    if (!def || def.traits.terminator || op.results.length === 0) return undefined;
    if (footprint.external || footprint.writes.any || footprint.writes.names.size > 0) return undefined;
    return opKey(op, def.traits.commutative === true, op.results[0]!.type) + versions.of(footprint.reads);
  };

  const visitRegions = (op: Op): Op => {
    const touched = clobbered(facts.footprint(op));
    const apart = branches(op, facts);
    // A later iteration may have written what an earlier op of this one read; a branch sees what was there before.
    if (!apart) versions.bump(touched);
    const start = versions.snapshot(touched);
    const regions = op.regions.map((r) => {
      if (apart) versions.restore(start);
      return visitRegion(r);
    });
    versions.bump(touched);
    return regions.every((r, i) => r === op.regions[i]) ? op : opWith(op, { regions });
  };

  const visitRegion = (region: Region): Region => {
    available.enter();
    const ops: Op[] = [];
    let same = true;
    for (const op of region.ops) {
      const kept = visit(op);
      if (kept) ops.push(kept);
      if (kept !== op) same = false;
    }
    available.leave();
    return same ? region : { params: region.params, ops };
  };

  const body = visitRegion(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
};

interface Snapshot {
  readonly all: number;
  readonly names: readonly (readonly [string, number | undefined])[];
}

/** A number for the contents of each buffer: as long as it stays, so do they. */
const memoryVersions = () => {
  const versions = new Map<string, number>();
  let all = 0;
  let next = 1;
  const bumpAll = (): void => void (all = next++);
  return {
    bump: (set: BufferSet): void => {
      if (set.any) bumpAll();
      for (const b of set.names) versions.set(b, next++);
    },
    of: (set: BufferSet): string => {
      if (set.any) return ` any ${next++}`;
      if (set.names.size === 0) return '';
      return ` ${all} ${[...set.names].map((b) => versions.get(b) ?? 0).join(' ')}`;
    },
    snapshot: (set: BufferSet): Snapshot => ({ all, names: [...set.names].map((b) => [b, versions.get(b)] as const) }),
    restore: (s: Snapshot): void => {
      all = s.all;
      for (const [b, v] of s.names) {
        if (v === undefined) versions.delete(b);
        else versions.set(b, v);
      }
    },
  };
};
