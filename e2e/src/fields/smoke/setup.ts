/**
 * Smoke in a closed square or cube of cells, by the advection-reflection method (thesis §7.3): what all implementations start from. Lengths
 * are cells, times are steps. Component a of the velocity at cell c lies on its lower face along axis a, and is zero on
 * walls; dye, three numbers, lies in the middle of cells. One step, in this order:
 *
 * - half: velocity and dye are carried by the velocity for half a step, by the scheme of MacCormack along paths of Ralston's third order;
 *   what the scheme makes of the dye is kept between the least and the greatest that is carried to the cell and those beside it;
 *   the dye lifts the velocity;
 * - pressure p makes the velocity free of divergence, v ← v − ∇p, and what is carried next is its reflection, v − 2 ∇p;
 * - half again, of what was reflected, by what was projected; then v ← v − ∇p.
 */
export interface SmokeSetup {
  readonly dim: 2 | 3;
  /** Cells along each axis: 8 · 2ᵏ. */
  readonly n: number;
  /** What a unit of dye in a cell adds to the upward velocity in a step. Up is axis 1. */
  readonly lift: number;
  /** What is left of the dye after each step. */
  readonly keep: number;
  /** Colours of the dye at the start: three numbers in [0, 1] of a cell, by its indices. */
  readonly dye: (cell: readonly number[]) => readonly [number, number, number];
  /** The residual of the pressure falls by this factor. */
  readonly tolerance: number;
  readonly mostIterations: number;
}

/** The state of a simulation: cell after cell, the last index fastest, `dim` numbers of `velocity` and three of `dye`. */
export interface SmokeState {
  readonly velocity: Float64Array;
  readonly dye: Float64Array;
}

/** A simulation under way. */
export interface Smoke {
  step(count: number): void;
  state(): SmokeState;
}

/** Two balls of dye, one above the other and aside, of different colours. */
export const smokeSetup = (dim: 2 | 3, n: number, keep = 1): SmokeSetup => {
  const middle = dim === 3 ? [0.5] : [];
  const balls = [
    { centre: [0.42, 0.2, ...middle], radius: 0.13, colour: [0.9, 0.5, 0.3] },
    { centre: [0.62, 0.45, ...middle], radius: 0.1, colour: [0.3, 0.5, 0.9] },
  ];
  const dye = (cell: readonly number[]): readonly [number, number, number] => {
    const amounts = [0, 0, 0];
    for (const { centre, radius, colour } of balls) {
      const away = Math.hypot(...cell.map((c, a) => (c + 0.5) / n - centre[a])) / radius;
      const amount = away < 1 ? (1 - away * away) ** 2 : 0;
      colour.forEach((c, k) => (amounts[k] += c * amount));
    }
    return amounts as [number, number, number];
  };
  return { dim, n, lift: 6.4 / n, keep, dye, tolerance: 1e-5, mostIterations: 60 };
};

/** All cells of a setup, the last index fastest. */
export const cellsOf = ({ dim, n }: Pick<SmokeSetup, 'dim' | 'n'>): readonly (readonly number[])[] =>
  Array.from({ length: n ** dim }, (_, at) =>
    Array.from({ length: dim }, (__, axis) => Math.floor(at / n ** (dim - 1 - axis)) % n),
  );
