import { isFloat, scalarOf, walk, type Kernel, type Op, type Value } from '@filigree/ir';

/**
 * Ids of the products of floats from which something is taken, `a * b - c` and `a * b + -c`: where compilers find sums of products beside such, as in products of complex numbers, they may make one operation of a product and a
 * difference.
 */
export const minuends = ({ body }: Kernel): ReadonlySet<number> => {
  const found = new Set<number>();
  const made = new Map<number, Op>();
  const productOf = (v: Value): Op | undefined => {
    const op = made.get(v.id);
    return op?.name === 'arith.neg' ? productOf(op.operands[0]!) : op?.name === 'arith.mul' ? op : undefined;
  };
  walk(body, (op) => {
    for (const r of op.results) made.set(r.id, op);
    if ((op.name !== 'arith.sub' && op.name !== 'arith.add') || !isFloat(scalarOf(op.results[0]!.type))) return;
    const [a, b] = op.operands as [Value, Value];
    const isTaken = (v: Value): boolean => op.name === 'arith.sub' || made.get(v.id)?.name === 'arith.neg';
    for (const [v, other] of [[a, b], ...(op.name === 'arith.add' ? [[b, a] as const] : [])] as const) {
      const product = isTaken(other) ? productOf(v) : undefined;
      if (product) found.add(product.results[0]!.id);
    }
  });
  return found;
};
