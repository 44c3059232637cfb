/** A robot: its points, and springs between them, some of which it can shorten and lengthen. */
export interface Robot {
  /** x and y of each. */
  readonly points: readonly number[];
  readonly FROM: readonly number[];
  readonly TO: readonly number[];
  /** Lengths at rest. */
  readonly rest: readonly number[];
  readonly stiffness: readonly number[];
  /** How much of its length a spring can change; 0 where it cannot. */
  readonly reach: readonly number[];
}

export const ROBOTS = ['1', '2', '3'] as const;

/** Waves that clock a robot's network. */
export const WAVES = 10;

/** One of three: a row of two squares, a row of three, a table on three legs. */
export const robotOf = (number: number): Robot =>
  number === 1 ? squares(2, 1) : number === 2 ? squares(3, 1) : squares(5, 1, [0, 2, 4]);

/** Squares side by side, all of whose points within a diagonal are joined; of the lower row only some, the legs. */
const squares = (columns: number, rows: number, legs?: readonly number[]): Robot => {
  const side = 0.09;
  const is = (a: number, b: number): boolean => {
    if (a < 0 || b < 0 || a >= columns + (legs ? 0 : 1)) return false;
    return b > 0 ? b <= rows : !legs || legs.includes(a);
  };
  const places: (readonly [number, number])[] = [];
  for (let a = 0; a <= columns; a++) for (let b = 0; b <= rows; b++) if (is(a, b)) places.push([a, b]);
  const springs = places.flatMap((p, m) =>
    places.flatMap((q, n) => {
      const [dx, dy] = [Math.abs(p[0] - q[0]), Math.abs(p[1] - q[1])];
      return m < n && dx <= 1 && dy <= 1 ? [{ m, n, upright: dx === 0, length: side * Math.hypot(dx, dy) }] : [];
    }),
  );
  return {
    points: places.flatMap(([a, b]) => [0.1 + side * a, 0.101 + side * b]),
    FROM: springs.map((s) => s.m),
    TO: springs.map((s) => s.n),
    rest: springs.map((s) => s.length),
    stiffness: springs.map(() => 1.4e4),
    reach: springs.map((s) => (s.upright || s.length > side * 1.1 ? 0.15 : 0)),
  };
};
