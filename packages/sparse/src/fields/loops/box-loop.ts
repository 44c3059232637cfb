import { walk, type Attrs, type Builder, type Op, type Region, type Value } from '@filigree/ir';
import { nodeOf, type Layout } from '../layout/layout.js';
import { isPlainArray } from '../layout/stored-as.js';

/** How far a loop over elements goes along each axis, where all that it goes over is there, one after the other, and it says nothing else. */
export const boxOf = (layout: Layout, op: Op): readonly number[] | undefined => {
  if (op.name !== 'field.for' || Object.keys(op.attrs).join() !== 'node') return undefined;
  const node = nodeOf(layout, op);
  const [{ params }] = op.regions as [Region];
  if (!node || node.parent !== 0 || node.morton || !isPlainArray(layout, node)) return undefined;
  const extents = node.axes.map((a) => node.extents[a]!);
  return params.length === extents.length ? extents : undefined;
};

/**
 * Such a loop as a nest over the axes, the last of the ops that this makes; before it come its bounds.
 *
 * @param inside what loops within the outermost one say of themselves
 */
export const boxLoop = (op: Op, extents: readonly number[], b: Builder, inside: Attrs = {}): readonly Op[] => {
  const [{ params, ops }] = op.regions as [Region];
  const [last, between] = takesLanes(op) ? [{ simd: true }, { independent: true }] : [{}, {}];
  return b.collect(() => {
    b.loc = op.loc;
    const [zero, one, ...ends] = [0, 1, ...extents].map(b.i32) as [Value, Value, ...Value[]];
    const along = (n: number): void => {
      const innermost = n === params.length - 1;
      const within = innermost ? ops : b.collect(() => (along(n + 1), b.op('scf.yield'))).ops;
      const own = innermost ? last : n === 0 ? {} : between;
      const attrs = { ...(n === 0 ? { parallel: true } : inside), ...own };
      b.op('scf.for', [zero, ends[n]!, one], attrs, [{ params: [params[n]!], ops: within }]);
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
