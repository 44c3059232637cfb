import { field, i32, kernel, ndrange, vec, type Grid2 } from 'filigree';
import { ij } from '@filigree/sparse/fields';

/** A picture, each point of which is a loop that ends where it likes. */
type Picture = (out: Grid2, n: number) => void;

export const out = field('out', 'f32', { axes: ij });

const mandelbrot: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    const [cx, cy] = [(3.0 * i) / n - 2.0, (3.0 * j) / n - 1.5];
    let [x, y] = [0.0, 0.0];
    let steps = 0;
    while (x * x + y * y < 4.0 && steps < 200) {
      [x, y] = [x * x - y * y + cx, 2.0 * x * y + cy];
      steps++;
    }
    out[i][j] = steps;
  }
};

/* The first example of Taichi. */
const julia: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    let z = vec((4.0 * i) / n - 2.0, (2.0 * j) / n - 1.0);
    let steps = 0;
    while (z.norm() < 20.0 && steps < 50) {
      z = vec(z.x * z.x - z.y * z.y - 0.8, 2.0 * z.x * z.y + 0.2);
      steps++;
    }
    out[i][j] = 1.0 - steps * 0.02;
  }
};

const march: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    const direction = vec(i / n - 0.5, j / n - 0.5, 1.0).normalized();
    let t = 0.0;
    for (let k = 0; k < 64; k++) {
      const p = direction.mul(t).add(vec(0.0, 0.0, -3.0));
      const d = Math.min(p.norm() - 1.0, p.sub(vec(1.0, 0.5, 0.0)).norm() - 0.5, p.y + 1.2);
      if (d < 1e-3 || t > 20.0) break;
      t += d;
    }
    out[i][j] = t;
  }
};

const root: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    const y = j + 1.0;
    let x = 0.1 * i + 1.0;
    while (Math.abs(x * x * x - y) > 1e-4 * y) x -= (x * x * x - y) / (3.0 * x * x);
    out[i][j] = x;
  }
};

const gyroid: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    const direction = vec(i / n - 0.5, j / n - 0.5, 1.0).normalized();
    let t = 0.0;
    for (let k = 0; k < 64; k++) {
      const p = direction.mul(t).add(vec(0.0, 0.5, -3.0));
      const d = Math.sin(p.x) * Math.cos(p.y) + Math.sin(p.y) * Math.cos(p.z) + Math.sin(p.z) * Math.cos(p.x) + 0.9;
      if (d < 1e-3 || t > 20.0) break;
      t += 0.5 * d;
    }
    out[i][j] = t;
  }
};

/* Where a planet stands on its orbit: Kepler's equation. */
const kepler: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    const [eccentricity, mean] = [(0.9 * i) / n, (6.28 * j) / n];
    let [at, miss] = [mean, 1.0];
    for (let k = 0; k < 30 && Math.abs(miss) > 1e-5; k++) {
      miss = at - eccentricity * Math.sin(at) - mean;
      at -= miss / (1.0 - eccentricity * Math.cos(at));
    }
    out[i][j] = at;
  }
};

const uneven: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    const most = j % 32 === 0 ? 500.0 : 1.0;
    let [x, k] = [0.5, 0.0];
    while (k < most) {
      x = x * 0.9 + 0.1 * k;
      k += 1.0;
    }
    out[i][j] = x;
  }
};

/** Numbers in order. */
const squares = Float32Array.from({ length: 16384 }, (_, k) => (k * k) / 16384);

const search: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    const x = (i * 7919 + j * 104729) % 16384;
    let [low, high] = [0, 16384];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (squares[middle] < x) low = middle + 1;
      else high = middle;
    }
    out[i][j] = low;
  }
};

/** How dense the fog is in each of 64 × 64 × 64 cells. */
const density = Float32Array.from(
  { length: 64 ** 3 },
  (_, k) => (((k >> 12) * 7 + ((k >> 6) & 63) * 13 + (k & 63) * 29) % 17) / 17,
);

const fog: Picture = (out, n) => {
  for (const [i, j] of ndrange(n, n)) {
    const [dx, dy] = [i / n - 0.5, j / n - 0.5];
    let [z, light] = [0.0, 1.0];
    while (z < 64.0 && light > 0.01) {
      const [x, y] = [32.0 + 0.9 * dx * z, 32.0 + 0.9 * dy * z];
      const d = density[i32(Math.floor(x)) * 4096 + i32(Math.floor(y)) * 64 + i32(Math.floor(z))];
      light *= 1.0 - 0.1 * d;
      z += d > 0.5 ? 0.25 : 0.75;
    }
    out[i][j] = light;
  }
};

export const pictures = { mandelbrot, julia, march, gyroid, root, kepler, search, fog, uneven };

/** As kernels of these names. */
export const kernels = Object.fromEntries(
  Object.entries(pictures).map(([name, picture]) => [
    name,
    kernel([out, 'i32'], { scope: { density, i32, ndrange, squares, vec } }, picture),
  ]),
);
