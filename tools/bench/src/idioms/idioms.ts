import { dense, field, i as axisI, ij, kernel, layout, ndrange, range } from 'filigree';

/** Rows and columns of the matrices and images. */
const N = 256;

/** Items of the lists. */
const M = 65_536;

const grid = (name: string) => field(name, 'f32', { axes: ij });
const list = (name: string) => field(name, 'f32', { axes: axisI });

/** What idioms read and write: matrices and images, lists of numbers, points of three coordinates and of ten, centres of such, counts, and keys. */
export const fields = {
  a: grid('a'),
  b: grid('b'),
  c: grid('c'),
  x: list('x'),
  y: list('y'),
  w: list('w'),
  points: grid('points'),
  forces: grid('forces'),
  cells: field('cells', 'i32', { axes: ij }),
  born: field('born', 'i32', { axes: ij }),
  features: grid('features'),
  centres: grid('centres'),
  keys: field('keys', 'i32', { axes: axisI }),
  counts: field('counts', 'i32', { axes: axisI }),
};

const { a, b, c, x, y, w, points, forces, cells, born, features, centres, keys, counts } = fields;
const BODIES = 1024;
const [ITEMS, CENTRES, FEATURES] = [2000, 100, 10];
const STEPS = 64;
const [SORTED, CHAINS] = [512, 8192];
const [THINGS, CAPACITY] = [100, 16_384];

export const form = layout(
  ...[a, b, c].map((f) => dense(ij, N).place(f)),
  dense(axisI, M).place(x),
  dense(axisI, M).place(y),
  dense(axisI, 25).place(w),
  dense(ij, [BODIES, 3]).place(points),
  dense(ij, [BODIES, 3]).place(forces),
  dense(ij, N).place(cells),
  dense(ij, N).place(born),
  dense(ij, [ITEMS, FEATURES]).place(features),
  dense(ij, [CENTRES, FEATURES]).place(centres),
  dense(axisI, M).place(keys),
  dense(axisI, 256).place(counts),
);

/** The number of elements of each field. */
export const lengths: Readonly<Record<keyof typeof fields, number>> = {
  a: N * N,
  b: N * N,
  c: N * N,
  x: M,
  y: M,
  w: 25,
  points: 3 * BODIES,
  forces: 3 * BODIES,
  cells: N * N,
  born: N * N,
  features: ITEMS * FEATURES,
  centres: CENTRES * FEATURES,
  keys: M,
  counts: 256,
};

/** Arrays as plain TypeScript has them. */
export type Arrays = Readonly<Record<keyof typeof fields, Float32Array | Int32Array>>;

const scope = { range, ndrange, N, M, BODIES, ITEMS, CENTRES, FEATURES, STEPS, SORTED, CHAINS, THINGS, CAPACITY };

/** Kernels as people write them in their first days. */
export const kernels = {
  product: kernel([a, b, c], { scope }, (a, b, c) => {
    for (const [i, j] of ndrange(N, N)) {
      c[i][j] = 0;
      for (let k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
    }
  }),
  times_vector: kernel([a, x, y], { scope }, (a, x, y) => {
    for (const i of range(N)) {
      y[i] = 0;
      for (let j = 0; j < N; j++) y[i] += a[i][j] * x[j];
    }
  }),
  transposed_times_vector: kernel([a, x, y], { scope }, (a, x, y) => {
    for (const i of range(N)) {
      y[i] = 0;
      for (let j = 0; j < N; j++) y[i] += a[j][i] * x[j];
    }
  }),
  blur: kernel([a, w, c], { scope }, (a, w, c) => {
    for (const [i, j] of ndrange([2, N - 2], [2, N - 2])) {
      c[i][j] = 0;
      for (let p = -2; p <= 2; p++) for (let q = -2; q <= 2; q++) c[i][j] += a[i + p][j + q] * w[(p + 2) * 5 + q + 2];
    }
  }),
  bodies: kernel([points, forces], { scope }, (points, forces) => {
    for (const i of range(BODIES)) {
      for (let d = 0; d < 3; d++) forces[i][d] = 0;
      for (const j of range(BODIES)) {
        const dx = points[j][0] - points[i][0];
        const dy = points[j][1] - points[i][1];
        const dz = points[j][2] - points[i][2];
        const r2 = dx * dx + dy * dy + dz * dz + 0.01;
        const f = 1 / (r2 * Math.sqrt(r2));
        forces[i][0] += dx * f;
        forces[i][1] += dy * f;
        forces[i][2] += dz * f;
      }
    }
  }),
  elimination: kernel([b], { scope }, (b) => {
    for (let k = 0; k < N; k++)
      for (let i = k + 1; i < N; i++) {
        b[i][k] /= b[k][k];
        for (let j = k + 1; j < N; j++) b[i][j] -= b[i][k] * b[k][j];
      }
  }),
  median: kernel([a, c], { scope }, (a, c) => {
    for (const [i, j] of ndrange([1, N - 1], [1, N - 1])) {
      const v = new Array(9).fill(0.0);
      for (let p = 0; p < 3; p++) for (let q = 0; q < 3; q++) v[3 * p + q] = a[i + p - 1][j + q - 1];
      for (let p = 0; p < 5; p++)
        for (let q = p + 1; q < 9; q++)
          if (v[q] < v[p]) {
            const t = v[p];
            v[p] = v[q];
            v[q] = t;
          }
      c[i][j] = v[4];
    }
  }),
  small_matrices: kernel([x, y], { scope }, (x, y) => {
    for (const i of range(M)) {
      const f = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
      ];
      for (let p = 0; p < 3; p++) for (let q = 0; q < 3; q++) f[p][q] += x[i] * (p + 2 * q);
      let e = 0.0;
      for (let p = 0; p < 3; p++)
        for (let q = 0; q < 3; q++) {
          let s = 0.0;
          for (let r = 0; r < 3; r++) s += f[r][p] * f[r][q];
          e += s * s;
        }
      y[i] = e;
    }
  }),
  polynomial: kernel([x, y], { scope }, (x, y) => {
    for (const i of range(M)) {
      const c = [0.1, 0.7, -0.3, 0.2, 0.05];
      let s = 0.0;
      for (let k = 4; k >= 0; k--) s = s * x[i] + c[k];
      y[i] = s;
    }
  }),
  histogram: kernel([keys, counts], { scope }, (keys, counts) => {
    for (const i of range(M)) counts[keys[i] & 255] += 1;
  }),
  transposition: kernel([a, c], { scope }, (a, c) => {
    for (const [i, j] of ndrange(N, N)) c[j][i] = a[i][j];
  }),
  greatest_of_rows: kernel([a, counts], { scope }, (a, counts) => {
    for (const i of range(N)) {
      let best = 0;
      for (let j = 1; j < N; j++) if (a[i][j] > a[i][best]) best = j;
      counts[i] = best;
    }
  }),
  nearest_centre: kernel([features, centres, y], { scope }, (features, centres, y) => {
    for (const i of range(ITEMS)) {
      let nearest = 1e30;
      let best = 0;
      for (let k = 0; k < CENTRES; k++) {
        let s = 0.0;
        for (let d = 0; d < FEATURES; d++) s += (features[i][d] - centres[k][d]) ** 2;
        if (s < nearest) {
          nearest = s;
          best = k;
        }
      }
      y[i] = best;
    }
  }),
  gaussians: kernel([features, centres, x, y], { scope }, (features, centres, x, y) => {
    for (const i of range(ITEMS)) {
      let t = 0.0;
      for (let k = 0; k < CENTRES; k++) {
        let s = 0.0;
        for (let d = 0; d < FEATURES; d++) s += (features[i][d] - centres[k][d]) ** 2;
        t += x[k] * Math.exp(-0.5 * s);
      }
      y[i] = t;
    }
  }),
  padded_filter: kernel([a, w, c], { scope }, (a, w, c) => {
    for (const [i, j] of ndrange(N, N)) {
      let s = 0.0;
      for (let p = -2; p <= 2; p++)
        for (let q = -2; q <= 2; q++) {
          const [y, x] = [i + p, j + q];
          if (y >= 0 && y < N && x >= 0 && x < N) s += a[y][x] * w[(p + 2) * 5 + q + 2];
        }
      c[i][j] = s;
    }
  }),
  life: kernel([cells, born], { scope }, (cells, born) => {
    for (const [i, j] of ndrange(N, N)) {
      let n = 0;
      for (let p = -1; p <= 1; p++)
        for (let q = -1; q <= 1; q++) if (p !== 0 || q !== 0) n += cells[(i + p + N) % N][(j + q + N) % N];
      born[i][j] = n === 3 || (n === 2 && cells[i][j] === 1) ? 1 : 0;
    }
  }),
  best_path: kernel([a, b, c], { scope }, (a, b, c) => {
    for (let s = 0; s < N; s++) c[0][s] = a[0][s];
    for (let t = 1; t < STEPS; t++)
      for (let s = 0; s < N; s++) {
        let best = -1e30;
        for (let q = 0; q < N; q++) best = Math.max(best, c[t - 1][q] + b[q][s]);
        c[t][s] = best + a[t][s];
      }
  }),
  nearest_point: kernel([points, counts], { scope }, (points, counts) => {
    let [best, at] = [1e30, -1];
    for (let k = 0; k < BODIES; k++) {
      const [dx, dy, dz] = [points[k][0] - 0.5, points[k][1] - 0.25, points[k][2] - 0.75];
      const d = dx * dx + dy * dy + dz * dz;
      if (d < best) {
        best = d;
        at = k;
      }
    }
    counts[0] = at;
  }),
  running_maximum: kernel([x, y], { scope }, (x, y) => {
    let most = -1e30;
    for (let k = 0; k < M; k++) {
      if (x[k] > most) most = x[k];
      y[k] = most;
    }
  }),
  deepest_fall: kernel([x, y], { scope }, (x, y) => {
    let [most, fall] = [0, 0];
    for (let k = 0; k < M; k++) {
      most = Math.max(most, x[k]);
      fall = Math.max(fall, most - x[k]);
    }
    y[0] = fall;
  }),
  greatest_run: kernel([x, y], { scope }, (x, y) => {
    let [run, best] = [0, 0];
    for (let k = 0; k < M; k++) {
      run = Math.max(x[k], run + x[k]);
      best = Math.max(best, run);
    }
    y[0] = best;
  }),
  first_above: kernel([x, counts], { scope }, (x, counts) => {
    let at = -1;
    for (let k = 0; k < M; k++)
      if (x[k] > 2) {
        at = k;
        break;
      }
    counts[0] = at;
  }),
  insertion_sort: kernel([x, y], { scope }, (x, y) => {
    for (let k = 0; k < SORTED; k++) y[k] = x[k];
    for (let k = 1; k < SORTED; k++) {
      const v = y[k];
      let at = k - 1;
      while (at >= 0 && y[at] > v) {
        y[at + 1] = y[at];
        at--;
      }
      y[at + 1] = v;
    }
  }),
  bubble_sort: kernel([x, y], { scope }, (x, y) => {
    for (let k = 0; k < SORTED; k++) y[k] = x[k];
    for (let n = SORTED - 1; n > 0; n--)
      for (let k = 0; k < n; k++) if (y[k] > y[k + 1]) [y[k], y[k + 1]] = [y[k + 1], y[k]];
  }),
  collatz: kernel([keys], { scope }, (keys) => {
    for (const k of range(CHAINS)) {
      let [n, steps] = [k + 1, 0];
      while (n !== 1 && steps < 500) {
        n = n % 2 === 0 ? n / 2 : 3 * n + 1;
        steps++;
      }
      keys[k] = steps;
    }
  }),
  turned_image: kernel([a, c], { scope }, (a, c) => {
    for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) c[j][N - 1 - i] = a[i][j];
  }),
  knapsack: kernel([keys, x, y], { scope }, (weights, x, y) => {
    for (const c of range(CAPACITY)) y[c] = 0;
    for (let i = 0; i < THINGS; i++)
      for (let c = CAPACITY - 1; c >= weights[i]; c--) y[c] = Math.max(y[c], y[c - weights[i]] + x[i]);
  }),
  echo: kernel([x, y, keys], { scope }, (x, y, keys) => {
    const lag = keys[0];
    for (const t of range(M)) y[t] = x[t] + 0.5 * x[t - lag];
  }),
  above_the_diagonal: kernel([a, y], { scope }, (a, y) => {
    for (const j of range(N)) {
      let s = 0.0;
      for (let i = 0; i <= j; i++) s += a[i][j];
      y[j] = s;
    }
  }),
  smoothed_columns: kernel([a, c], { scope }, (a, c) => {
    for (const j of range(N)) {
      c[0][j] = a[0][j];
      for (let i = 1; i < N; i++) c[i][j] = 0.5 * (a[i][j] + c[i - 1][j]);
      for (let i = N - 2; i >= 0; i--) c[i][j] = 0.5 * (c[i][j] + c[i + 1][j]);
    }
  }),
};

export type Idiom = keyof typeof kernels;

/** The same on typed arrays, as one would write it for speed. */
export const plain: Readonly<Record<Idiom, (arrays: Arrays) => void>> = {
  product: ({ a, b, c }) => {
    for (let i = 0; i < N; i++)
      for (let j = 0; j < N; j++) {
        let s = 0;
        for (let k = 0; k < N; k++) s += a[i * N + k] * b[k * N + j];
        c[i * N + j] = s;
      }
  },
  times_vector: ({ a, x, y }) => {
    for (let i = 0; i < N; i++) {
      let s = 0;
      for (let j = 0; j < N; j++) s += a[i * N + j] * x[j];
      y[i] = s;
    }
  },
  transposed_times_vector: ({ a, x, y }) => {
    for (let i = 0; i < N; i++) {
      let s = 0;
      for (let j = 0; j < N; j++) s += a[j * N + i] * x[j];
      y[i] = s;
    }
  },
  blur: ({ a, w, c }) => {
    for (let i = 2; i < N - 2; i++)
      for (let j = 2; j < N - 2; j++) {
        let s = 0;
        for (let p = 0; p < 5; p++) for (let q = 0; q < 5; q++) s += a[(i + p - 2) * N + j + q - 2] * w[p * 5 + q];
        c[i * N + j] = s;
      }
  },
  bodies: ({ points, forces }) => {
    for (let i = 0; i < BODIES; i++) {
      let [fx, fy, fz] = [0, 0, 0];
      for (let j = 0; j < BODIES; j++) {
        const dx = points[3 * j] - points[3 * i];
        const dy = points[3 * j + 1] - points[3 * i + 1];
        const dz = points[3 * j + 2] - points[3 * i + 2];
        const r2 = dx * dx + dy * dy + dz * dz + 0.01;
        const f = 1 / (r2 * Math.sqrt(r2));
        fx += dx * f;
        fy += dy * f;
        fz += dz * f;
      }
      forces[3 * i] = fx;
      forces[3 * i + 1] = fy;
      forces[3 * i + 2] = fz;
    }
  },
  elimination: ({ b }) => {
    for (let k = 0; k < N; k++)
      for (let i = k + 1; i < N; i++) {
        const f = Math.fround(b[i * N + k] / b[k * N + k]);
        b[i * N + k] = f;
        for (let j = k + 1; j < N; j++) b[i * N + j] -= f * b[k * N + j];
      }
  },
  median: ({ a, c }) => {
    const v = new Float32Array(9);
    for (let i = 1; i < N - 1; i++)
      for (let j = 1; j < N - 1; j++) {
        for (let p = 0; p < 3; p++) for (let q = 0; q < 3; q++) v[3 * p + q] = a[(i + p - 1) * N + j + q - 1];
        for (let p = 0; p < 5; p++)
          for (let q = p + 1; q < 9; q++)
            if (v[q] < v[p]) {
              const t = v[p];
              v[p] = v[q];
              v[q] = t;
            }
        c[i * N + j] = v[4];
      }
  },
  small_matrices: ({ x, y }) => {
    const f = new Float64Array(9);
    for (let i = 0; i < M; i++) {
      for (let p = 0; p < 3; p++) for (let q = 0; q < 3; q++) f[3 * p + q] = (p === q ? 1 : 0) + x[i] * (p + 2 * q);
      let e = 0;
      for (let p = 0; p < 3; p++)
        for (let q = 0; q < 3; q++) {
          const s = f[p] * f[q] + f[3 + p] * f[3 + q] + f[6 + p] * f[6 + q];
          e += s * s;
        }
      y[i] = e;
    }
  },
  polynomial: ({ x, y }) => {
    const c = [0.1, 0.7, -0.3, 0.2, 0.05];
    for (let i = 0; i < M; i++) {
      let s = 0;
      for (let k = 4; k >= 0; k--) s = s * x[i] + c[k];
      y[i] = s;
    }
  },
  histogram: ({ keys, counts }) => {
    for (let i = 0; i < M; i++) counts[keys[i] & 255] += 1;
  },
  transposition: ({ a, c }) => {
    for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) c[j * N + i] = a[i * N + j];
  },
  greatest_of_rows: ({ a, counts }) => {
    for (let i = 0; i < N; i++) {
      let best = 0;
      let most = a[i * N];
      for (let j = 1; j < N; j++) {
        const next = a[i * N + j];
        if (next > most) {
          best = j;
          most = next;
        }
      }
      counts[i] = best;
    }
  },
  nearest_centre: ({ features, centres, y }) => {
    for (let i = 0; i < ITEMS; i++) {
      let nearest = 1e30;
      let best = 0;
      for (let k = 0; k < CENTRES; k++) {
        const s = distance(features, i, centres, k);
        if (s < nearest) {
          nearest = s;
          best = k;
        }
      }
      y[i] = best;
    }
  },
  gaussians: ({ features, centres, x, y }) => {
    for (let i = 0; i < ITEMS; i++) {
      let t = 0;
      for (let k = 0; k < CENTRES; k++) t += x[k] * Math.exp(-0.5 * distance(features, i, centres, k));
      y[i] = t;
    }
  },
  padded_filter: ({ a, w, c }) => {
    for (let i = 0; i < N; i++)
      for (let j = 0; j < N; j++) {
        let s = 0;
        for (let p = Math.max(-2, -i); p <= Math.min(2, N - 1 - i); p++)
          for (let q = Math.max(-2, -j); q <= Math.min(2, N - 1 - j); q++)
            s += a[(i + p) * N + j + q] * w[(p + 2) * 5 + q + 2];
        c[i * N + j] = s;
      }
  },
  life: ({ cells, born }) => {
    for (let i = 0; i < N; i++)
      for (let j = 0; j < N; j++) {
        let n = -cells[i * N + j];
        for (let p = N - 1; p <= N + 1; p++)
          for (let q = N - 1; q <= N + 1; q++) n += cells[((i + p) % N) * N + ((j + q) % N)];
        born[i * N + j] = n === 3 || (n === 2 && cells[i * N + j] === 1) ? 1 : 0;
      }
  },
  best_path: ({ a, b, c }) => {
    for (let s = 0; s < N; s++) c[s] = a[s];
    for (let t = 1; t < STEPS; t++)
      for (let s = 0; s < N; s++) {
        let best = -1e30;
        for (let q = 0; q < N; q++) {
          const next = c[(t - 1) * N + q] + b[q * N + s];
          if (next > best) best = next;
        }
        c[t * N + s] = best + a[t * N + s];
      }
  },
  nearest_point: ({ points, counts }) => {
    let best = Infinity;
    for (let k = 0; k < BODIES; k++) {
      const dx = points[3 * k] - 0.5;
      const dy = points[3 * k + 1] - 0.25;
      const dz = points[3 * k + 2] - 0.75;
      const d = dx * dx + dy * dy + dz * dz;
      if (d < best) {
        best = d;
        counts[0] = k;
      }
    }
  },
  running_maximum: ({ x, y }) => {
    let most = -Infinity;
    for (let k = 0; k < M; k++) {
      if (x[k] > most) most = x[k];
      y[k] = most;
    }
  },
  deepest_fall: ({ x, y }) => {
    let [most, fall] = [0, 0];
    for (let k = 0; k < M; k++) {
      most = Math.max(most, x[k]);
      fall = Math.max(fall, most - x[k]);
    }
    y[0] = fall;
  },
  greatest_run: ({ x, y }) => {
    let [run, best] = [0, 0];
    for (let k = 0; k < M; k++) {
      run = Math.max(x[k], run + x[k]);
      best = Math.max(best, run);
    }
    y[0] = best;
  },
  first_above: ({ x, counts }) => {
    let at = -1;
    for (let k = 0; k < M; k++)
      if (x[k] > 2) {
        at = k;
        break;
      }
    counts[0] = at;
  },
  insertion_sort: ({ x, y }) => {
    for (let k = 0; k < SORTED; k++) y[k] = x[k];
    for (let k = 1; k < SORTED; k++) {
      const v = y[k];
      let at = k - 1;
      for (; at >= 0 && y[at] > v; at--) y[at + 1] = y[at];
      y[at + 1] = v;
    }
  },
  bubble_sort: ({ x, y }) => {
    for (let k = 0; k < SORTED; k++) y[k] = x[k];
    for (let n = SORTED - 1; n > 0; n--)
      for (let k = 0; k < n; k++) {
        const [here, there] = [y[k], y[k + 1]];
        if (here > there) {
          y[k] = there;
          y[k + 1] = here;
        }
      }
  },
  collatz: ({ keys }) => {
    for (let k = 0; k < CHAINS; k++) {
      let n = k + 1;
      let steps = 0;
      for (; n !== 1 && steps < 500; steps++) n = n % 2 === 0 ? n / 2 : 3 * n + 1;
      keys[k] = steps;
    }
  },
  turned_image: ({ a, c }) => {
    for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) c[j * N + N - 1 - i] = a[i * N + j];
  },
  knapsack: ({ keys, x, y }) => {
    y.fill(0, 0, CAPACITY);
    for (let i = 0; i < THINGS; i++) {
      const [weight, value] = [keys[i], x[i]];
      for (let c = CAPACITY - 1; c >= weight; c--) {
        const next = y[c - weight] + value;
        if (next > y[c]) y[c] = next;
      }
    }
  },
  echo: ({ x, y, keys }) => {
    const lag = keys[0];
    for (let t = 0; t < lag; t++) y[t] = x[t];
    for (let t = lag; t < M; t++) y[t] = x[t] + 0.5 * x[t - lag];
  },
  above_the_diagonal: ({ a, y }) => {
    y.fill(0, 0, N);
    for (let i = 0; i < N; i++) for (let j = i; j < N; j++) y[j] += a[i * N + j];
  },
  smoothed_columns: ({ a, c }) => {
    for (let j = 0; j < N; j++) c[j] = a[j];
    for (let i = 1; i < N; i++) for (let j = 0; j < N; j++) c[i * N + j] = 0.5 * (a[i * N + j] + c[(i - 1) * N + j]);
    for (let i = N - 2; i >= 0; i--)
      for (let j = 0; j < N; j++) c[i * N + j] = 0.5 * (c[i * N + j] + c[(i + 1) * N + j]);
  },
};

/** The square of the distance of rows. */
const distance = (a: Arrays['a'], i: number, b: Arrays['a'], k: number): number => {
  let s = 0;
  for (let d = 0; d < FEATURES; d++) {
    const e = a[i * FEATURES + d] - b[k * FEATURES + d];
    s += e * e;
  }
  return s;
};
