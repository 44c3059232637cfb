import {
  type Definition,
  type Dialect,
  type OpDef,
  type Scalar,
  type ScalarType,
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

/* Of the bits of a double, or of two singles. */
const bitsOf = (
  name: Definition['name'],
  summary: string,
  [takes, gives]: readonly [readonly ScalarType[], ScalarType],
  meaning: (a: Scalar, b: Scalar) => Scalar,
): OpDef =>
  defineBound(
    {
      name,
      summary,
      verify: (op) =>
        firstProblem(
          hasOperands(op, takes.length) ??
            takes.map((type, k) => operandIs(op, k, type, (t) => t === type)).find((problem) => problem !== undefined),
        ),
      resultTypes: () => [gives],
    },
    () => (a, b) => meaning(a as Scalar, b as Scalar),
  );

const view = new DataView(new ArrayBuffer(8));

const doubleOf = (bits: Scalar): number => {
  view.setBigUint64(0, bits as bigint);
  return view.getFloat64(0);
};

const bitsOfDouble = (x: number): bigint => {
  view.setFloat64(0, x);
  return view.getBigUint64(0);
};

/**
 * What rounding took from an operation on two singles, where the result is finite; else 0. No compiler sees through these, so none can find that
 * they are zero by the laws of numbers without rounding. They are what makes of two singles the sum of a double (`pairsOfSingles`). Besides, the two singles of the bits of a double,
 * as it lies in memory, and the bits of the double that two singles are.
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
  bitsOf('pair.high', 'the single that is nearest to the double of these bits', [['u64'], 'f32'], (bits) =>
    single(doubleOf(bits)),
  ),
  bitsOf(
    'pair.low',
    'the double of these bits less its nearest single; 0 where that is not finite',
    [['u64'], 'f32'],
    (bits) => {
      const x = doubleOf(bits);
      return Number.isFinite(single(x)) ? single(x - single(x)) : 0;
    },
  ),
  bitsOf('pair.bits', 'the bits of a + b as a double', [['f32', 'f32'], 'u64'], (a, b) =>
    bitsOfDouble((a as number) + (b as number)),
  ),
]);
