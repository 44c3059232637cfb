import {
  Builder,
  bufferMap,
  highestId,
  idsFrom,
  mapKernels,
  mapRegions,
  walk,
  type Module,
  type Op,
  type OpTable,
  type Region,
  type Value,
} from '@filigree/ir';
import { nodeOf, type Layout } from '../layout/layout.js';
import { isPlainArray } from '../layout/stored-as.js';
import { mayBeBox } from './may-be-box.js';

/** Turns the loops of a module of which `mayBeBox` is said into nests, where all their elements are there. */
export const boxModule = (module: Module, layout: Layout, table: OpTable): Module =>
  mapKernels(module, (kernel) => {
    const b = new Builder(table, bufferMap(module.buffers), idsFrom(highestId(kernel) + 1));
    const within = (region: Region): Region => {
      const ops = region.ops.flatMap((op) => {
        const extents = boxOf(layout, op);
        return extents ? nestOf(b, op, extents) : [mapRegions(op, within)];
      });
      return ops.every((op, n) => op === region.ops[n]) ? region : { params: region.params, ops };
    };
    const body = within(kernel.body);
    return body === kernel.body ? kernel : { ...kernel, body };
  });

/** Fewer rows are not enough for the threads of a small machine. */
const FEWEST_ROWS = 16;

/** How far a loop goes along each axis, where it is such a loop. */
const boxOf = (layout: Layout, op: Op): readonly number[] | undefined => {
  if (!mayBeBox(op)) return undefined;
  const node = nodeOf(layout, op);
  const [{ params }] = op.regions as [Region];
  if (!node || node.parent !== 0 || node.morton || !isPlainArray(layout, node)) return undefined;
  const extents = node.axes.map((a) => node.extents[a]!);
  return params.length === extents.length && extents[0]! >= FEWEST_ROWS ? extents : undefined;
};

const nestOf = (b: Builder, op: Op, extents: readonly number[]): readonly Op[] => {
  const [{ params, ops }] = op.regions as [Region];
  const [within, between] = takesLanes(op) ? [{ simd: true }, { independent: true }] : [{}, {}];
  return b.collect(() => {
    b.loc = op.loc;
    const [zero, one, ...ends] = [0, 1, ...extents].map(b.i32) as [Value, Value, ...Value[]];
    const along = (n: number): void => {
      const innermost = n === params.length - 1;
      const inside = innermost ? ops : b.collect(() => (along(n + 1), b.op('scf.yield'))).ops;
      const attrs = n === 0 ? { parallel: true } : innermost ? within : between;
      b.op('scf.for', [zero, ends[n]!, one], attrs, [{ params: [params[n]!], ops: inside }]);
    };
    along(0);
  }).ops;
};

/** Whether iterations can be lanes: nothing in them updates what others do, or changes structures. */
const takesLanes = (op: Op): boolean => {
  let takes = true;
  walk(op.regions[0]!, ({ name }) => {
    const [dialect, does] = name.split('.');
    takes &&= does === 'load' || does === 'store' || (dialect !== 'field' && dialect !== 'mem');
  });
  return takes;
};
