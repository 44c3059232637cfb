import {
  type Definition,
  type Dialect,
  type OpDef,
  type Scalar,
  defineBound,
  dialect,
  firstProblem,
  hasOperands,
  operandIs,
} from '@filigree/ir';

const single = Math.fround;

/* Of two singles; both results are singles too. */
const restOf = (name: Definition['name'], summary: string, rest: (a: number, b: number) => number): OpDef =>
  defineBound(
    {
      name,
      summary,
      verify: (op) =>
        firstProblem(
          hasOperands(op, 2) ??
            operandIs(op, 0, 'f32', (t) => t === 'f32') ??
            operandIs(op, 1, 'f32', (t) => t === 'f32'),
        ),
      resultTypes: () => ['f32'],
    },
    () => (a, b) => rest(a as number, b as number) as Scalar,
  );

/**
 * What rounding took from an operation on two singles, where the result is finite; else 0. No compiler sees through these, so none can find that
 * they are zero by the laws of numbers without rounding. They are what makes of two singles the sum of a double (`pairsOfSingles`).
 */
export const pairDialect: Dialect = dialect('pair', [
  restOf('pair.restOfSum', 'a + b less what f32 makes of it; 0 where that is not finite', (a, b) => {
    const sum = single(a + b);
    const other = single(sum - a);
    return Number.isFinite(sum) ? single(single(a - single(sum - other)) + single(b - other)) : 0;
  }),
  restOf('pair.restOfProduct', 'a · b less what f32 makes of it; 0 where that is not finite', (a, b) => {
    /* A double holds the product of two singles. */
    const product = single(a * b);
    return Number.isFinite(product) ? single(a * b - product) : 0;
  }),
]);
