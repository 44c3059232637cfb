import {
  Builder,
  bufferMap,
  highestId,
  idsFrom,
  mapKernels,
  mapRegions,
  type Module,
  type OpTable,
  type Region,
} from '@filigree/ir';
import type { Layout } from '../layout/layout.js';
import { boxLoop, boxOf } from './box-loop.js';
import { mayBeBox } from './may-be-box.js';

/** Turns the loops of a module of which `mayBeBox` is said into nests, where all their elements are there. */
export const boxModule = (module: Module, layout: Layout, table: OpTable): Module =>
  mapKernels(module, (kernel) => {
    const b = new Builder(table, bufferMap(module.buffers), idsFrom(highestId(kernel) + 1));
    const within = (region: Region): Region => {
      const ops = region.ops.flatMap((op) => {
        const extents = mayBeBox(op) ? boxOf(layout, op) : undefined;
        return extents && extents[0]! >= FEWEST_ROWS ? boxLoop(op, extents, b) : [mapRegions(op, within)];
      });
      return ops.every((op, n) => op === region.ops[n]) ? region : { params: region.params, ops };
    };
    const body = within(kernel.body);
    return body === kernel.body ? kernel : { ...kernel, body };
  });

/** Fewer rows are not enough for the threads of a small machine. */
const FEWEST_ROWS = 16;
