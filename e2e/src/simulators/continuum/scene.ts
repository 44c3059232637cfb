/**
 * Elastic bodies and liquids as particles on a grid, and muscles within them: what a simulation of a robot starts from. The domain is
 * the unit square or cube, y up.
 */
export interface ContinuumScene {
  readonly dim: 2 | 3;
  /** Nodes along each axis. */
  readonly n: number;
  readonly steps: number;
  readonly dt: number;
  /** Of particles at rest, `dim` numbers each. */
  readonly x: Float64Array;
  /** The muscle that each particle belongs to; −1 for none. */
  readonly muscle: Int32Array;
  /** Whether each particle keeps its shape, 1, or flows, 0. */
  readonly solid: Float64Array;
  readonly muscles: number;
  /** How many particles from the first are the robot, whose middle is to go far. */
  readonly robot: number;
}

/** Part of a body: a box with a corner and sides, and its muscle. */
export interface Part {
  readonly corner: readonly number[];
  readonly size: readonly number[];
  readonly muscle?: number;
  readonly liquid?: boolean;
}

/** The scene of some parts, those of the robot first. */
export const sceneOf = (
  { dim, n, steps }: Pick<ContinuumScene, 'dim' | 'n' | 'steps'>,
  parts: readonly Part[],
): ContinuumScene => {
  const points = parts.map((part) => filled(part, n));
  const counts = points.map((list) => list.length / dim);
  const each = (of: (part: Part) => number): number[] =>
    parts.flatMap((part, k) => new Array<number>(counts[k]).fill(of(part)));
  return {
    dim,
    n,
    steps,
    dt: 0.128 / n,
    x: Float64Array.from(points.flat()),
    muscle: Int32Array.from(each((p) => p.muscle ?? -1)),
    solid: Float64Array.from(each((p) => (p.liquid ? 0 : 1))),
    muscles: 1 + parts.reduce((most, p) => Math.max(most, p.muscle ?? -1), -1),
    robot: parts.reduce((sum, p, k) => sum + (p.liquid ? 0 : counts[k]), 0),
  };
};

/** Two particles a node along each axis. */
const filled = ({ corner, size }: Part, n: number): number[] => {
  const along = size.map((s) => Math.max(1, Math.round(2 * n * s)));
  const all: number[] = [];
  const count = along.reduce((product, a) => product * a, 1);
  for (let k = 0; k < count; k++) {
    let rest = k;
    all.push(
      ...along.map((a, axis) => {
        const at = rest % a;
        rest = Math.floor(rest / a);
        return corner[axis] + ((at + 0.5) * size[axis]) / a;
      }),
    );
  }
  return all;
};

/** What all scenes have in common: stiffness, weight, and the waves that muscles are driven by. */
export const CONTINUUM = {
  mu: 10,
  lambda: 10,
  /** Stiffness of liquids against being pressed together. */
  bulk: 10,
  gravity: 3.8,
  friction: 0.5,
  strength: 4,
  omega: 20,
  waves: 4,
  /** Nodes of wall on every side. */
  wall: 3,
} as const;
