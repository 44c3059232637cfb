import { field, kernel, ndrange, vec, type Grid2 } from 'filigree';
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

export const pictures = { mandelbrot, julia, march, gyroid, root, kepler, uneven };

/** As kernels of these names. */
export const kernels = Object.fromEntries(
  Object.entries(pictures).map(([name, picture]) => [name, kernel([out, 'i32'], { scope: { ndrange, vec } }, picture)]),
);
