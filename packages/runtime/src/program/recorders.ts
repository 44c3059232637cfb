import type { Block } from '@filigree/backend/device';
import type { Recorder } from '../tape/recorder.js';

/** Those who follow what launches do to the fields in a block of memory, which several programs may share: recorders, and those of tangents. */
export const recordersOn = (block: Block): Set<Pick<Recorder, 'refuse'>> => {
  const known = recorders.get(block) ?? new Set();
  recorders.set(block, known);
  return known;
};

const recorders = new WeakMap<Block, Set<Pick<Recorder, 'refuse'>>>();
