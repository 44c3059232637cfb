import { tableOf } from '../sets/bit-table.js';
import { addTransposed } from '../sets/bits.js';
import { ownMemory, type Allocate } from '../sets/memory.js';
import { surveyOf } from '../sets/point-set.js';
import { bitBuilder } from '../sets/set-builder.js';
import { trieOf } from '../sets/trie.js';
import { countOf, runJoin } from './join.js';
import type { AnyWork, Platform, Steps } from './work.js';
import { moveSlice } from './slice.js';

/** This thread alone. */
export const HERE: Platform = { allocate: ownMemory, parts: 1, leastPart: Infinity };

/** A computation on this thread alone. */
export const runHere = <A>(steps: Steps<A>): A => {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value.map((work) => perform(work, HERE.allocate)));
  return step.value;
};

/** Does a piece of work. */
export const perform = (work: AnyWork, allocate: Allocate): unknown => {
  switch (work.kind) {
    case 'store':
      return work.store.as === 'trie'
        ? trieOf(work.store.set, work.store.order, allocate)
        : tableOf(work.store.set, work.store.fastest, allocate);
    case 'collect':
      return runJoin(work.join, bitBuilder(work.join.query.result, work.bits));
    case 'count':
      return countOf(work.join);
    case 'turn':
      return addTransposed(work.target, work.source, work.shape, work.from, work.to);
    case 'move':
      for (const m of work.slices) moveSlice(m, work.x, work.to, work.target, work.from, work.end);
      return undefined;
    case 'survey':
      return surveyOf(work.bits, work.from, work.to);
  }
};
