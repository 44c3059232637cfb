/** A flow in a tube: where it is, and its velocity there, in cells a step. */
export interface Flow {
  readonly inside: readonly number[];
  /** The cells of all blocks with a cell inside: those at the edge of the cube take a hundredth of what lies next to them. */
  readonly carried: readonly number[];
  /** One array for each axis, zero outside. */
  readonly velocity: readonly Float64Array[];
}

/** The middle of a cell, from that of the cube. */
const centre = (n: number, at: number): readonly [number, number, number] => [
  (Math.floor(at / n ** 2) + 0.5) / n - 0.5,
  ((Math.floor(at / n) % n) + 0.5) / n - 0.5,
  at % n,
];

/** A flow that turns around the third axis and along it, between two radii, and cells in blocks of so many a side. */
export const velocityAt = (n: number, block: number): Flow => {
  const velocity = [0, 1, 2].map(() => new Float64Array(n ** 3));
  const inside: number[] = [];
  for (let at = 0; at < n ** 3; at++) {
    const [x, y] = centre(n, at);
    const r = Math.sqrt(x * x + y * y);
    if (!(r > 0.32 && r < 0.45)) continue;
    inside.push(at);
    [-1.5 * y, 1.5 * x, 0.25 + 0.5 * x].forEach((speed, axis) => (velocity[axis][at] = speed));
  }
  const blockOf = (at: number): number =>
    [Math.floor(at / n ** 2), Math.floor(at / n) % n, at % n].reduce((b, c) => b * n + Math.floor(c / block), 0);
  const blocks = new Set(inside.map(blockOf));
  const carried = Array.from({ length: n ** 3 }, (_, at) => at).filter((at) => blocks.has(blockOf(at)));
  return { inside, carried, velocity };
};

/** A quantity after so many steps of the MacCormack scheme, over plain arrays. */
export const advected = (
  n: number,
  flow: Flow,
  begin: (x: number, y: number, k: number) => number,
  steps: number,
): Float64Array => {
  let q = new Float64Array(n ** 3);
  for (const at of flow.inside) q[at] = begin(...centre(n, at));
  const [forth, home] = [1, -1].map((dt) => flow.carried.map((at) => origin(n, flow, at, dt)));
  const carried = (from: Float64Array, origins: readonly (readonly number[])[]): Float64Array => {
    const to = new Float64Array(n ** 3);
    flow.carried.forEach((at, m) => (to[at] = sampled(n, from, origins[m])));
    return to;
  };
  for (let s = 0; s < steps; s++) {
    const there = carried(q, forth);
    const back = carried(there, home);
    q = there.map((value, at) => value + (q[at] - back[at]) / 2);
  }
  return q;
};

/** Where what is in a cell came from, by the third-order method of Ralston. */
const origin = (n: number, { velocity }: Flow, at: number, dt: number): readonly number[] => {
  const cell = [Math.floor(at / n ** 2), Math.floor(at / n) % n, at % n];
  const ahead = (speeds: readonly number[], by: number): readonly number[] =>
    cell.map((c, axis) => Math.min(Math.max(c - by * dt * speeds[axis], 0), n - 1.01));
  const speedAt = (place: readonly number[]): readonly number[] => velocity.map((v) => sampled(n, v, place));
  const first = velocity.map((v) => v[at]);
  const second = speedAt(ahead(first, 1 / 2));
  const third = speedAt(ahead(second, 3 / 4));
  return ahead(
    cell.map((_, axis) => (2 * first[axis] + 3 * second[axis] + 4 * third[axis]) / 9),
    1,
  );
};

/* Once for each cell, axis and step of a cube: without an array of its own. */
const sampled = (n: number, q: Float64Array, [x, y, z]: readonly number[]): number => {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  let sum = 0;
  for (let a = 0; a < 2; a++)
    for (let b = 0; b < 2; b++)
      for (let c = 0; c < 2; c++)
        sum += part(x - i, a) * part(y - j, b) * part(z - k, c) * q[((i + a) * n + j + b) * n + k + c];
  return sum;
};

const part = (beyond: number, corner: number): number => (corner === 1 ? beyond : 1 - beyond);
