import {
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  controlBy,
  freshIds,
  makeOp,
  makeValue,
  mapRegions,
  opTable,
  opWith,
  walk,
} from '@filigree/ir';
import { scratchNames } from './scratch-names.js';

/**
 * A serial kernel with parallel loops that could not be taken out of it, such as those in a loop of which nobody knows the end, as one
 * iteration of a parallel loop: a team goes through the serial code, and divides the iterations of the loops. Undefined where there are none, or
 * where scratch buffers are used, which each iteration has for itself and a team shares.
 */
export const onOneTeam = (kernel: Kernel, dialects: readonly Dialect[], module: Module): Kernel | undefined => {
  const controlOf = controlBy(opTable(dialects));
  const scratch = scratchNames(module);
  let [loops, own] = [0, false];
  walk(kernel.body, (op) => {
    if (controlOf(op)?.parallel === true) loops++;
    own ||= scratch.has(String(op.attrs['buffer']));
  });
  if (loops === 0 || own) return undefined;
  const divided = (op: Op): Op =>
    op.name === 'scf.for' && op.attrs['parallel'] === true
      ? opWith(op, { attrs: { team: true } })
      : mapRegions(op, (region) => ({ ...region, ops: region.ops.map(divided) }));
  const ids = freshIds(kernel);
  const constant = (value: number): Op =>
    makeOp('arith.constant', [], [makeValue(ids.next(), 'i32', undefined)], { value }, [], undefined);
  const [zero, one] = [constant(0), constant(1)];
  const last = kernel.body.ops.at(-1)!;
  const region = {
    params: [makeValue(ids.next(), 'i32', 'team')],
    ops: [...kernel.body.ops.slice(0, -1).map(divided), opWith(last, {})],
  };
  const bounds = [zero, one, one].map((op) => op.results[0]!);
  const team = makeOp('scf.for', bounds, [], { parallel: true }, [region], undefined);
  return { ...kernel, body: { ...kernel.body, ops: [zero, one, team, last] } };
};
