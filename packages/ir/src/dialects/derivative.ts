import { defineGeneral, firstProblem, hasRegions, sameTypes, terminatorOf, typesText } from './define.js';
import { dialect } from './op-table.js';

/**
 * What a program says of derivatives, until they have been taken. `derivative.given` has the values of its first operands, as many as it has
 * results; that they depend on its other operands, its inputs, is said by its region and nothing else: it takes the adjoints of the
 * results, and yields what they add to those of the inputs. It may use values from around it.
 */
export const derivative = dialect('derivative', [
  defineGeneral(
    {
      name: 'derivative.given',
      summary:
        'its results are its first operands; its region, from the adjoints of the results, yields those of the other operands',
      verify: (op) =>
        firstProblem(
          hasRegions(op, 1) ??
            (sameTypes(op.regions[0].params, op.results)
              ? undefined
              : `the region takes ${typesText(op.regions[0].params)}, expected ${typesText(op.results)}`) ??
            (sameTypes(op.operands.slice(0, op.results.length), op.results)
              ? undefined
              : `the first operands are ${typesText(op.operands)}, expected ${typesText(op.results)}`) ??
            (sameTypes(terminatorOf(op.regions[0])?.operands ?? [], op.operands.slice(op.results.length))
              ? undefined
              : `the region yields ${typesText(terminatorOf(op.regions[0])?.operands ?? [])}, expected ${typesText(op.operands.slice(op.results.length))}`),
        ),
      resultTypes: (_operands, _attrs, regions) => regions[0].params.map((p) => p.type),
    },
    (op, args) => args.slice(0, op.results.length),
  ),
]);
