import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { orThrow } from '@filigree/ir';
import { decompose, group, harvest, type SpecializeOptions, type Trace } from '@filigree/specialize';

/**
 * Which kernel computes each entry of each output: the number of its group (paper §4.3), by name of the output. Entries
 * that are only copied get the number after the last.
 */
export const kernelClasses = (trace: Trace, options: SpecializeOptions): Readonly<Record<string, Int32Array>> => {
  const harvested = pipe(
    decompose(options.decompose).run(trace),
    E.chain((d) => group(options.group).run(d)),
    E.chain((d) => harvest(options.group).run(d)),
  );
  const { harvested: groups, listed, ptr, destinations } = orThrow(harvested);
  const classes = trace.outputs.map(({ length }) => new Int32Array(length).fill(groups.length + listed.length));
  groups.forEach(({ units }, g) => {
    for (const unit of units)
      for (let root = ptr[unit]; root < ptr[unit + 1]; root++)
        for (let d = destinations.ptr[root]; d < destinations.ptr[root + 1]; d++)
          classes[destinations.output[d]][destinations.position[d]] = g;
  });
  listed.forEach(({ move: { output, positions } }, k) => {
    for (const column of positions.flat()) for (const position of column) classes[output][position] = groups.length + k;
  });
  return Object.fromEntries(trace.outputs.map(({ name }, k) => [name, classes[k]]));
};
