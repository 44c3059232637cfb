import type { Op, Value } from '../kernel/op.js';
import { defineGeneral, firstProblem, hasRegions, sameTypes, terminatorOf, typesText } from './define.js';
import { dialect } from './op-table.js';

/**
 * What a program says of derivatives, until they have been taken. `derivative.given` has the values of its first operands, as many as it has
 * results; that they depend on its last operands, its inputs, is said by its region and nothing else: it takes the adjoints of the
 * results, and yields what they add to those of the inputs. It may use values from around it. With `near`, as many operands between these are values close by at which
 * derivatives are taken, since at the results themselves there may be none.
 */
export const derivative = dialect('derivative', [
  defineGeneral(
    {
      name: 'derivative.given',
      summary:
        'its results are its first operands; its region, from the adjoints of the results, yields those of the last operands, and where it is `near`, those between are where the derivative is taken',
      verify: (op) =>
        firstProblem(
          hasRegions(op, 1) ??
            (sameTypes(op.regions[0].params, op.results)
              ? undefined
              : `the region takes ${typesText(op.regions[0].params)}, expected ${typesText(op.results)}`) ??
            (sameTypes(partsOfGiven(op).values, op.results) && sameTypes(partsOfGiven(op).near, op.results)
              ? undefined
              : `the first operands are ${typesText(op.operands)}, expected ${typesText(op.results)}${op.attrs.near === true ? ', twice' : ''}`) ??
            (sameTypes(terminatorOf(op.regions[0])?.operands ?? [], partsOfGiven(op).inputs)
              ? undefined
              : `the region yields ${typesText(terminatorOf(op.regions[0])?.operands ?? [])}, expected ${typesText(partsOfGiven(op).inputs)}`),
        ),
      resultTypes: (_operands, _attrs, regions) => regions[0].params.map((p) => p.type),
    },
    (op, args) => args.slice(0, op.results.length),
  ),
]);

/** The operands of `derivative.given`: what its results are, where derivatives are taken, and what they are by. */
export const partsOfGiven = ({
  operands,
  results: { length },
  attrs: { near },
}: Op): { readonly values: readonly Value[]; readonly near: readonly Value[]; readonly inputs: readonly Value[] } => {
  const values = operands.slice(0, length);
  return near === true
    ? { values, near: operands.slice(length, 2 * length), inputs: operands.slice(2 * length) }
    : { values, near: values, inputs: operands.slice(length) };
};
