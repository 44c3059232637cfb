import { active, i32, kernel, ndrange, type Grid3 } from '@filigree/lang/kernels';
import { dense, fields, ijk, layout } from '@filigree/sparse/fields';
import type { QueuedCase } from '../case.js';
import { advected, velocityAt } from './maccormack-reference.js';

const BLOCK = 8;

const CHANNELS = [0, 1, 2] as const;

/* Between the eight elements around a place. */
const trilinear = (q: Grid3, x: number, y: number, z: number) => {
  const i = i32(Math.floor(x));
  const j = i32(Math.floor(y));
  const k = i32(Math.floor(z));
  const [r, s, t] = [x - i, y - j, z - k];
  const near =
    (1 - s) * ((1 - t) * q[i][j][k] + t * q[i][j][k + 1]) + s * ((1 - t) * q[i][j + 1][k] + t * q[i][j + 1][k + 1]);
  const away =
    (1 - s) * ((1 - t) * q[i + 1][j][k] + t * q[i + 1][j][k + 1]) +
    s * ((1 - t) * q[i + 1][j + 1][k] + t * q[i + 1][j + 1][k + 1]);
  return (1 - r) * near + r * away;
};

/** Advection of three quantities by the scheme of MacCormack along paths of third order (thesis §4.8.2). */
export const maccormack: QueuedCase = {
  name: 'maccormack',
  shows: 'three quantities carried through a tube by the MacCormack scheme, along paths of third order',
  n: 64,
  multiple: BLOCK,
  most: 256,
  steps: 2,
  rounding: 1e5,
  make: (n, float) => {
    const { u, v, w } = fields(float, ijk, ['u', 'v', 'w']);
    const { q0, q1, q2 } = fields(float, ijk, ['q0', 'q1', 'q2']);
    const { there0, there1, there2 } = fields(float, ijk, ['there0', 'there1', 'there2']);
    const { back0, back1, back2 } = fields(float, ijk, ['back0', 'back1', 'back2']);
    const q = [q0, q1, q2];
    const there = [there0, there1, there2];
    const back = [back0, back1, back2];
    const far = n - 1.01;
    const within = (x: number) => Math.min(Math.max(x, 0), far);
    const scope = { n, far, trilinear, within };
    const carry = (from: typeof u, to: typeof u, dt: number, name: string) =>
      kernel([from, to, u, v, w], { float, scope: { ...scope, dt }, name }, (from, to, u, v, w) => {
        for (const [i, j, k] of active(u)) {
          const [a, b, c] = [u[i][j][k], v[i][j][k], w[i][j][k]];
          const [x, y, z] = [within(i - 0.5 * dt * a), within(j - 0.5 * dt * b), within(k - 0.5 * dt * c)];
          const [d, e, f] = [trilinear(u, x, y, z), trilinear(v, x, y, z), trilinear(w, x, y, z)];
          const [X, Y, Z] = [within(i - 0.75 * dt * d), within(j - 0.75 * dt * e), within(k - 0.75 * dt * f)];
          const [g, h, l] = [trilinear(u, X, Y, Z), trilinear(v, X, Y, Z), trilinear(w, X, Y, Z)];
          to[i][j][k] = trilinear(
            from,
            within(i - (dt * (2 * a + 3 * d + 4 * g)) / 9),
            within(j - (dt * (2 * b + 3 * e + 4 * h)) / 9),
            within(k - (dt * (2 * c + 3 * f + 4 * l)) / 9),
          );
        }
      });
    const correct = (c: number) =>
      kernel([q[c], there[c], back[c], u], { float, name: `correct${c}` }, (q, there, back, u) => {
        for (const [i, j, k] of active(u)) q[i][j][k] = there[i][j][k] + 0.5 * (q[i][j][k] - back[i][j][k]);
      });
    const ofChannel = (c: number) => ({
      [`there${c}`]: carry(q[c], there[c], 1, `there${c}`),
      [`back${c}`]: carry(there[c], back[c], -1, `back${c}`),
      [`correct${c}`]: correct(c),
    });
    return {
      layout: layout(
        dense(ijk, n / BLOCK)
          .pointer()
          .fork(...[u, v, w, ...q, ...there, ...back].map((f) => dense(ijk, BLOCK).place(f))),
      ),
      kernels: {
        init: kernel([u, v, w, q0, q1, q2], { float, scope }, (u, v, w, q0, q1, q2) => {
          for (const [i, j, k] of ndrange(n, n, n)) {
            const [x, y] = [(i + 0.5) / n - 0.5, (j + 0.5) / n - 0.5];
            const r = Math.sqrt(x * x + y * y);
            if (r > 0.32 && r < 0.45) {
              u[i][j][k] = -1.5 * y;
              v[i][j][k] = 1.5 * x;
              w[i][j][k] = 0.25 + 0.5 * x;
              q0[i][j][k] = 1 + x;
              q1[i][j][k] = x * y;
              q2[i][j][k] = k / n;
            }
          }
        }),
        ...(Object.assign({}, ...CHANNELS.map(ofChannel)) as ReturnType<typeof ofChannel>),
      },
      start: (run) => run.init(),
      step: (run) => {
        for (const c of CHANNELS) for (const name of ['there', 'back', 'correct']) run[`${name}${c}`]();
      },
      reference: (steps) => {
        const flow = velocityAt(n, BLOCK);
        const begin = [
          (x: number) => 1 + x,
          (x: number, y: number) => x * y,
          (_: number, __: number, k: number) => k / n,
        ];
        return Object.fromEntries(CHANNELS.map((c) => [`q${c}`, advected(n, flow, begin[c], steps)]));
      },
    };
  },
};
