import type { GemmSpec } from '@filigree/tensor/linalg';

/** A product that is timed, and the rows that a library is given: whole vectors where rows are padded. */
export interface GemmCase {
  readonly name: string;
  readonly group: string;
  readonly spec: GemmSpec;
  readonly libraryRows: number;
}

/**
 * The products of ADER-DG kernels: assorted sizes, basis functions of orders 2 to 8 times nine quantities, by
 * star and flux matrices (9 × 9) and by stiffness matrices (B × B), and several simulations at once.
 */
export const gemmCases = (type: 'f32' | 'f64'): readonly GemmCase[] => {
  const lanes = type === 'f64' ? 4 : 8;
  const make =
    (group: string, padded: boolean, betas: readonly (0 | 1)[]) =>
    ([m, n, k]: readonly [number, number, number]): readonly GemmCase[] => {
      const rows = padded ? Math.ceil(m / lanes) * lanes : m;
      return betas.map((beta) => ({
        name: `${m}×${n}×${k}${padded ? ` in ${rows}` : ''}${beta === 1 ? ', added' : ''}`,
        group,
        libraryRows: rows,
        spec: {
          type,
          m,
          n,
          k,
          a: { kind: 'dense', rowStride: 1, columnStride: rows },
          b: { kind: 'dense', rowStride: 1, columnStride: k },
          c: { rowStride: 1, columnStride: rows },
          alpha: 1,
          beta,
          ...(padded ? { mPadded: rows } : {}),
        },
      }));
    };
  const odd = basis.filter((b) => b % lanes !== 0);
  return [
    ...sizes.flatMap(make('assorted sizes', false, [0, 1])),
    ...basis.map((b) => [b, 9, 9] as const).flatMap(make('B × 9 × 9', false, [1])),
    ...odd.map((b) => [b, 9, 9] as const).flatMap(make('B × 9 × 9, padded', true, [1])),
    ...basis.map((b) => [b, 9, b] as const).flatMap(make('B × 9 × B', false, [0])),
    ...odd.map((b) => [b, 9, b] as const).flatMap(make('B × 9 × B, padded', true, [0])),
    ...[8, 16, 32].flatMap((s) =>
      [9, 20, 56].map((b) => [s, b, b] as const).flatMap(make('fused simulations: S × B × B', false, [1])),
    ),
  ];
};

const sizes: readonly (readonly [number, number, number])[] = [
  [56, 9, 9],
  [35, 9, 9],
  [20, 9, 10],
  [8, 9, 9],
  [56, 9, 56],
  [24, 9, 24],
  [64, 4, 4],
  [9, 9, 9],
];

const basis = [4, 10, 20, 35, 56, 84, 120];
