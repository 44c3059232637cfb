import { isLoop, type Op, type Region, opWith } from '@filigree/ir';
import type { AffineForms } from '../support/affine.js';
import { constantOfOp } from '../support/constant-in.js';
import { accessIn, observed, touches, type BufferSet, type Facts } from '../support/facts.js';
import { isParallelLoop } from '../support/scratch.js';
import { elementMap, placeOf } from './element-map.js';

/**
 * The kernel's body without stores that nothing can read: those that a later store of the same region overwrites first, and
 * those to scratch buffers that are not read any more before the iteration, or the serial code, that owns them ends.
 */
export const withoutDeadStores = (
  body: Region,
  facts: Facts,
  forms: AffineForms,
  scratch: ReadonlySet<string>,
): Region => sweep(body, { facts, forms, scratch }, scratch, false);

interface Setting {
  readonly facts: Facts;
  readonly forms: AffineForms;
  readonly scratch: ReadonlySet<string>;
}

/** @param unread scratch buffers that nothing reads after the region */
const sweep = (region: Region, setting: Setting, unread: ReadonlySet<string>, inParallel: boolean): Region => {
  const { facts, forms } = setting;
  for (const op of region.ops) forms.note(op, constantOfOp(op, facts));
  /** Places that are written again further on, with no read in between. */
  const overwritten = elementMap<true>();
  const silent = new Set(unread);
  const look = (set: BufferSet): void => {
    overwritten.forgetBuffers(set);
    for (const b of silent) if (touches(set, b)) silent.delete(b);
  };
  const kept: Op[] = [];
  let same = true;
  for (let i = region.ops.length - 1; i >= 0; i--) {
    const op = region.ops[i]!;
    if (op.regions.length > 0) {
      const inside = inner(op, setting, silent, inParallel);
      const nested = inParallel || isParallelLoop(op, facts);
      const regions = op.regions.map((r) => sweep(r, setting, inside, nested));
      const changed = regions.some((r, k) => r !== op.regions[k]);
      if (changed) same = false;
      look(observed(facts.footprint(op)));
      kept.push(changed ? opWith(op, { regions }) : op);
      continue;
    }
    if (onlyWrites(op, silent, facts)) {
      same = false;
      continue;
    }
    const access = accessIn(op, facts);
    if (!access?.value) look(observed(facts.footprint(op)));
    else {
      const place = placeOf(access, forms);
      if (access.kind === 'read') {
        silent.delete(place.buffer);
        overwritten.forgetOverlaps(place);
      } else if (overwritten.get(place) && op.results.length === 0) {
        same = false;
        continue;
      } else overwritten.set(place, true);
    }
    kept.push(op);
  }
  return same ? region : { params: region.params, ops: kept.reverse() };
};

const nothing: ReadonlySet<string> = new Set();

/** The scratch buffers that nothing reads after a region of `op`: an iteration may be followed by another one. */
const inner = (
  op: Op,
  { facts, scratch }: Setting,
  silent: ReadonlySet<string>,
  inParallel: boolean,
): ReadonlySet<string> => {
  if (!inParallel && isParallelLoop(op, facts)) return scratch;
  const control = facts.control(op);
  if (!control) return nothing;
  if (!isLoop(control)) return new Set(silent);
  const read = observed(facts.footprint(op));
  return new Set([...silent].filter((b) => !touches(read, b)));
};

/** Whether all that an op does is to write to these buffers. */
const onlyWrites = (op: Op, buffers: ReadonlySet<string>, facts: Facts): boolean => {
  const effects = op.results.length === 0 ? facts.def(op)?.effects(op) : undefined;
  return (
    effects !== undefined &&
    effects.length > 0 &&
    effects.every((e) => e.kind === 'write' && e.buffer !== undefined && buffers.has(e.buffer))
  );
};
