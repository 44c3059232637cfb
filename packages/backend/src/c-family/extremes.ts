import { isFloat, isVector, walk, type Kernel, type Op } from '@filigree/ir';

/** What tells which of two floats is taken. */
export type Extreme = 'above' | 'below';

/** The choices of a kernel between two floats by how they compare, `a > b ? a : b`, by id: whether the first is taken where it is above or below the second. */
export const extremesIn = ({ body }: Kernel): ReadonlyMap<number, Extreme> => {
  const found = new Map<number, Extreme>();
  const comparisons = new Map<number, Op>();
  walk(body, (op) => {
    const [result] = op.results;
    if (op.name === 'arith.cmp') comparisons.set(result!.id, op);
    if (op.name !== 'arith.select' || isVector(result!.type) || !isFloat(result!.type)) return;
    const [condition, a, b] = op.operands;
    const test = comparisons.get(condition!.id);
    const greater = test && greaterOf.get(String(test.attrs['predicate']));
    if (greater === undefined) return;
    const [greaterId, lesserId] = [test!.operands[greater]!.id, test!.operands[1 - greater]!.id];
    if (greaterId === a!.id && lesserId === b!.id) found.set(result!.id, 'above');
    if (greaterId === b!.id && lesserId === a!.id) found.set(result!.id, 'below');
  });
  return found;
};

/** Which of what is compared is the greater, where they may not be equal. */
const greaterOf = new Map([
  ['gt', 0],
  ['lt', 1],
]);
