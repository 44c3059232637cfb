import { cellsOf, type Smoke, type SmokeSetup, type SmokeState } from './setup.js';

/** The plainest form of a simulation: arrays of doubles, one cell at a time, pressure by conjugate gradients. For checks; slow. */
export const referenceSmoke = (setup: SmokeSetup): Smoke => {
  const cells = cellsOf(setup);
  let state: SmokeState = {
    velocity: new Float64Array(setup.dim * cells.length),
    dye: Float64Array.from(cells.flatMap((cell) => setup.dye(cell))),
  };
  return {
    step: (count) => {
      for (let k = 0; k < count; k++) state = stepped(setup, cells, state);
    },
    state: () => state,
  };
};

/** What flows into each cell less what flows out of it. */
export const divergence = ({ dim, n }: Pick<SmokeSetup, 'dim' | 'n'>, velocity: Float64Array): Float64Array => {
  const grid = gridOf(dim, n);
  return Float64Array.from(grid.cells, (cell, at) =>
    grid.along.reduce(
      (sum, a) => sum + (cell[a] + 1 < n ? velocity[dim * (at + grid.stride[a]) + a] : 0) - velocity[dim * at + a],
      0,
    ),
  );
};

const gridOf = (dim: number, n: number) => ({
  cells: cellsOf({ dim: dim as 2 | 3, n }),
  along: Array.from({ length: dim }, (_, a) => a),
  stride: Array.from({ length: dim }, (_, a) => n ** (dim - 1 - a)),
});

const stepped = (
  setup: SmokeSetup,
  cells: readonly (readonly number[])[],
  { velocity, dye }: SmokeState,
): SmokeState => {
  const first = half(setup, cells, velocity, velocity, dye);
  const push = pressed(setup, first.velocity);
  const projected = first.velocity.map((v, k) => v - push[k]);
  const reflected = first.velocity.map((v, k) => v - 2 * push[k]);
  const second = half(setup, cells, reflected, projected, first.dye);
  const last = pressed(setup, second.velocity);
  return { velocity: second.velocity.map((v, k) => v - last[k]), dye: second.dye.map((q) => q * setup.keep) };
};

/** Half a step of what is carried by a velocity. */
const half = (
  { dim, n, lift }: SmokeSetup,
  cells: readonly (readonly number[])[],
  carried: Float64Array,
  now: Float64Array,
  dye: Float64Array,
): SmokeState => {
  const { along, stride } = gridOf(dim, n);
  const linear = (u: Float64Array, size: number, k: number, place: readonly number[], across: number): number => {
    const last = along.map((b) => (b === across ? n : n - 1));
    const within = place.map((x, b) => Math.min(Math.max(x, 0), last[b]));
    const low = within.map((x, b) => Math.min(Math.floor(x), last[b] - 1));
    let sum = 0;
    for (let corner = 0; corner < 2 ** dim; corner++) {
      let weight = 1;
      let index = 0;
      let outside = false;
      for (const b of along) {
        const bit = (corner >> b) & 1;
        weight *= bit ? within[b] - low[b] : 1 - within[b] + low[b];
        outside ||= low[b] + bit >= n;
        index += (low[b] + bit) * stride[b];
      }
      if (!outside) sum += weight * u[size * index + k];
    }
    return sum;
  };
  const speed = (u: Float64Array, place: readonly number[], a: number): number =>
    linear(
      u,
      dim,
      a,
      place.map((x, b) => (b === a ? x + 0.5 : x)),
      a,
    );
  const origin = (place: readonly number[], time: number): readonly number[] => {
    const at = (by: number, speeds: readonly number[]): readonly number[] =>
      place.map((x, b) => x - by * time * speeds[b]);
    const all = (from: readonly number[]): readonly number[] => along.map((a) => speed(now, from, a));
    const one = all(place);
    const two = all(at(1 / 2, one));
    const three = all(at(3 / 4, two));
    return at(
      1,
      one.map((s, b) => (2 * s + 3 * two[b] + 4 * three[b]) / 9),
    );
  };
  const face = (cell: readonly number[], a: number): readonly number[] => cell.map((c, b) => (b === a ? c - 0.5 : c));
  const moved = (u: Float64Array, time: number): Float64Array =>
    Float64Array.from(
      cells.flatMap((cell) => along.map((a) => (cell[a] > 0 ? speed(u, origin(face(cell, a), time), a) : 0))),
    );
  const tinted = (q: Float64Array, time: number): Float64Array =>
    Float64Array.from(
      cells.flatMap((cell) => {
        const place = origin(cell, time);
        return [0, 1, 2].map((k) => linear(q, 3, k, place, -1));
      }),
    );
  const there = moved(carried, 0.5);
  const back = moved(there, -0.5);
  const dyeThere = tinted(dye, 0.5);
  const dyeBack = tinted(dyeThere, -0.5);
  const amount = (at: number): number => dye[3 * at] + dye[3 * at + 1] + dye[3 * at + 2];
  return {
    velocity: there.map((v, k) => {
      const [at, a] = [Math.floor(k / dim), k % dim];
      if (cells[at][a] === 0) return 0;
      const up = a === 1 ? (lift / 4) * (amount(at) + amount(at - stride[1])) : 0;
      return v + (carried[k] - back[k]) / 2 + up;
    }),
    dye: dyeThere.map((q, k) => {
      const [at, colour] = [Math.floor(k / 3), k % 3];
      const near = along.flatMap((b) =>
        [-1, 1].map((by) => {
          const c = cells[at][b] + by;
          return c < 0 || c >= n ? 0 : dyeThere[3 * (at + by * stride[b]) + colour];
        }),
      );
      const made = q + (dye[k] - dyeBack[k]) / 2;
      return Math.min(Math.max(made, Math.min(q, ...near)), Math.max(q, ...near));
    }),
  };
};

/** The gradient of the pressure that makes a velocity free of divergence. */
const pressed = ({ dim, n }: SmokeSetup, velocity: Float64Array): Float64Array => {
  const { cells, along, stride } = gridOf(dim, n);
  const multiply = (p: Float64Array): Float64Array =>
    Float64Array.from(cells, (cell, at) =>
      along.reduce(
        (sum, b) =>
          sum + (cell[b] > 0 ? p[at] - p[at - stride[b]] : 0) + (cell[b] + 1 < n ? p[at] - p[at + stride[b]] : 0),
        0,
      ),
    );
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, k) => sum + v * b[k], 0);
  const x = new Float64Array(cells.length);
  let r = divergence({ dim, n }, velocity).map((d) => -d);
  let d = r;
  let squares = dot(r, r);
  const enough = 1e-24 * squares;
  for (let k = 0; k < 10 * n && squares > enough; k++) {
    const q = multiply(d);
    const alpha = squares / dot(d, q);
    d.forEach((v, at) => (x[at] += alpha * v));
    r = r.map((v, at) => v - alpha * q[at]);
    const before = squares;
    squares = dot(r, r);
    d = r.map((v, at) => v + (squares / before) * d[at]);
  }
  return Float64Array.from(
    cells.flatMap((cell, at) => along.map((b) => (cell[b] > 0 ? x[at] - x[at - stride[b]] : 0))),
  );
};
