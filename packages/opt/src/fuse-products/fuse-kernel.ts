import { mapRegions, opWith, type Kernel, type Op, type Region, type Value } from '@filigree/ir';
import { freshValues, simpleOp, type Fresh } from '../support/values.js';
import { sharedSums, type Term } from './sums.js';

/** Computes products that sums share anew in each of them (`fuseProducts`). @param registers how many values a target can keep */
export const fuseKernel = (kernel: Kernel, registers: number): Kernel => {
  const { terms, parts } = sharedSums(kernel, registers);
  const fresh = freshValues(kernel);
  const fuse = (region: Region): Region => ({
    params: region.params,
    ops: region.ops.flatMap((op): readonly Op[] => {
      if (parts.has(op)) return [];
      const sum = terms.get(op);
      return sum ? chain(op, inOrder(sum), fresh) : [mapRegions(op, fuse)];
    }),
  });
  return terms.size === 0 ? kernel : { ...kernel, body: fuse(kernel.body) };
};

/** Terms with one before the others that need not be negated or multiplied, if there is such. */
const inOrder = (terms: readonly Term[]): readonly Term[] => {
  const first = terms.find((t) => t.of.length === 1 && !t.negative) ?? terms.find((t) => !t.negative) ?? terms[0]!;
  return [first, ...terms.filter((t) => t !== first)];
};

/** Ops that add terms one after the other, the last with the result of `sum`. */
const chain = (sum: Op, [first, ...rest]: readonly Term[], fresh: Fresh): readonly Op[] => {
  const ops: Op[] = [];
  const make = (name: string, operands: readonly Value[]): Value => {
    const value = fresh(sum.results[0]!.type);
    ops.push(simpleOp(name, operands, {}, value, sum.loc));
    return value;
  };
  const negated = (v: Value): Value => make('arith.neg', [v]);
  const start = first!.of.length === 1 ? first!.of[0] : make('arith.mul', first!.of);
  rest.reduce(
    (now, { negative, of }) =>
      of.length === 1
        ? make(negative ? 'arith.sub' : 'arith.add', [now, of[0]])
        : make('math.fma', [of[0], negative ? negated(of[1]) : of[1], now]),
    first!.negative ? negated(start) : start,
  );
  return [...ops.slice(0, -1), opWith(ops.at(-1)!, { results: sum.results })];
};
