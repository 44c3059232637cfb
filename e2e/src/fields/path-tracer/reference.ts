import { randomNumbers } from '../../meshes/index.js';
import type { Cloud, Renderer, Triple, View } from './setup.js';

/** The renderer in double precision over a dense grid, a random sequence for the whole picture. */
export const referenceRenderer = (cloud: Cloud): Renderer => ({
  render: (view, seed) => {
    const random = randomNumbers(seed);
    return Float64Array.from({ length: view.width * view.height }, (_, pixel) => {
      let sum = 0;
      for (let s = 0; s < view.samples; s++) {
        const x = (2 * ((pixel % view.width) + random())) / view.width - 1;
        const y = 1 - (2 * (Math.floor(pixel / view.width) + random())) / view.height;
        sum += path(cloud, view, direction(view, x, y), random);
      }
      return sum / view.samples;
    });
  },
});

/** Direction of the ray through a point of the picture, −1 to 1 along each axis. */
export const direction = ({ forward, right, up }: View, x: number, y: number): Triple =>
  unit([0, 1, 2].map((a) => forward[a] + x * right[a] + y * up[a]));

/** Where a ray enters and leaves the unit cube, in lengths along it from its origin on; undefined where it misses. */
export const clip = (origin: Triple, along: Triple): readonly [number, number] | undefined => {
  let enter = 0;
  let leave = Infinity;
  for (let a = 0; a < 3; a++) {
    if (along[a] === 0) {
      if (origin[a] < 0 || origin[a] > 1) return undefined;
      continue;
    }
    const [p, q] = [-origin[a] / along[a], (1 - origin[a]) / along[a]];
    enter = Math.max(enter, Math.min(p, q));
    leave = Math.min(leave, Math.max(p, q));
  }
  return enter < leave ? [enter, leave] : undefined;
};

const path = (cloud: Cloud, view: View, start: Triple, random: () => number): number => {
  const span = clip(view.eye, start);
  if (!span) return view.environment;
  let at = move(view.eye, start, span[0]);
  let along = start;
  let length = span[1] - span[0];
  let weight = 1;
  let sum = 0;
  for (let depth = 0; depth < view.pathLimit; depth++) {
    const t = track(cloud, view, at, along, length, random);
    if (t === undefined) return sum + weight * view.environment;
    at = move(at, along, t);
    weight *= view.albedo;
    if (view.intensity > 0) {
      const away = [0, 1, 2].map((a) => view.light[a] - at[a]);
      const distance = Math.hypot(...away);
      const within = Math.min(distance, clip(at, unit(away))?.[1] ?? 0);
      if (track(cloud, view, at, unit(away), within, random) === undefined)
        sum += (weight * view.intensity) / (4 * Math.PI * distance ** 2);
    }
    const z = 2 * random() - 1;
    const phi = 2 * Math.PI * random();
    const r = Math.sqrt(1 - z * z);
    along = [r * Math.cos(phi), r * Math.sin(phi), z];
    length = clip(at, along)?.[1] ?? 0;
  }
  return sum;
};

/** Length to the next collision; undefined where there is none within `length`. */
const track = (
  { n, density }: Cloud,
  { extinction }: View,
  from: Triple,
  along: Triple,
  length: number,
  random: () => number,
): number | undefined => {
  let t = 0;
  for (;;) {
    t -= Math.log(1 - random()) / extinction;
    if (t >= length) return undefined;
    const [i, j, k] = move(from, along, t).map((c) => Math.min(n - 1, Math.max(0, Math.floor(c * n))));
    if (random() < density[(i * n + j) * n + k]) return t;
  }
};

const move = (from: Triple, along: Triple, t: number): Triple => [
  from[0] + t * along[0],
  from[1] + t * along[1],
  from[2] + t * along[2],
];

const unit = (v: readonly number[]): Triple => {
  const length = Math.hypot(...v);
  return [v[0] / length, v[1] / length, v[2] / length];
};
