import type { Block, DeviceBuffer } from '@filigree/backend/device';
import type { Recorder } from '../tape/recorder.js';

/** Those who follow what launches do to the fields in a block of memory, which several programs may share: recorders, and those of tangents. */
export const recordersOn = (block: Block): Set<Pick<Recorder, 'refuse'>> => {
  const known = recorders.get(block) ?? new Set();
  recorders.set(block, known);
  return known;
};

/** Refuses what another does to fields in a block, while somebody records what launches do to them. Error: `tape/outside`. */
export const refuseOn = (block: Block, what: string, but: readonly unknown[] = []): void => {
  for (const one of recorders.get(block) ?? [])
    if (!but.includes(one))
      one.refuse(
        `another program ${what}`,
        'do so before, in a step of the host, or by a kernel of the program that is differentiated',
      );
};

/** A buffer of which somebody is told before it is written. */
export const writtenAfter = (buffer: DeviceBuffer, tell: () => void): DeviceBuffer => ({
  ...buffer,
  write: (values, first) => {
    tell();
    buffer.write(values, first);
  },
});

const recorders = new WeakMap<Block, Set<Pick<Recorder, 'refuse'>>>();
