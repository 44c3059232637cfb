import type { Backend } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import {
  active,
  diag,
  eig2,
  eig3,
  kernel,
  mat,
  math,
  nearestRotation,
  polar2,
  polar3,
  svd2,
  svd3,
  withGradient,
  type KernelDef,
  type Mat,
} from '@filigree/lang/kernels';
import { program, valueAndGradient, valueAndTangent } from '@filigree/runtime';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { F, H } = fields('f64', i, { F: [3, 3], H: [2, 2] });
const { x, loss } = fields('f64', i, ['x', 'loss']);
const tree = layout(dense(i, 2).place(F, H), dense(i, 4).place(x), dense(i, 1).place(loss));

const reset = kernel([loss], (loss) => {
  loss[0] = 0.0;
});
/** Sums whose terms all differ, so that no symmetry hides a wrong sign. */
const weigh3 = (A: Mat<3, 3>): number => A.mul(mat([0.3, -1.2, 0.7], [1.9, 0.4, -0.8], [0.2, 1.1, -0.5])).trace();
const weigh2 = (A: Mat<2, 2>): number => A.mul(mat([0.3, -1.2], [1.9, 0.4])).trace();

const kernels = {
  polar3: kernel([F, loss], { scope: { weigh2, weigh3 } }, (F, loss) => {
    for (const p of active(F)) {
      const [R, S] = polar3(F[p]);
      loss[0] += weigh3(R) + weigh3(S) * weigh3(S);
    }
  }),
  polar2: kernel([H, loss], { scope: { weigh2, weigh3 } }, (H, loss) => {
    for (const p of active(H)) {
      const [R, S] = polar2(H[p]);
      loss[0] += weigh2(R) + weigh2(S) * weigh2(S);
    }
  }),
  rotations: kernel([F, H, loss], { scope: { weigh2, weigh3 } }, (F, H, loss) => {
    for (const p of active(F)) loss[0] += weigh3(nearestRotation(F[p])) + weigh2(nearestRotation(H[p]));
  }),
  /** Functions that do not tell equal singular values apart. */
  svd3: kernel([F, loss], { scope: { weigh2, weigh3 } }, (F, loss) => {
    for (const p of active(F)) {
      const [U, sigma, V] = svd3(F[p]);
      loss[0] += weigh3(U.mul(V.transpose())) + math.log(sigma[0] * sigma[1] * sigma[2]) + sigma.dot(sigma);
    }
  }),
  svd2: kernel([H, loss], { scope: { weigh2, weigh3 } }, (H, loss) => {
    for (const p of active(H)) {
      const [U, sigma, V] = svd2(H[p]);
      loss[0] += weigh2(U.mul(V.transpose())) + math.log(sigma[0] * sigma[1]) + sigma[0] + sigma[1];
    }
  }),
  /* These need what g makes of the vectors of equal values: its derivative, though g of both is the same. */
  ofSingular: kernel([F, H, loss], { scope: { weigh2, weigh3 } }, (F, H, loss) => {
    for (const p of active(F)) {
      const [U, s, V] = svd3(F[p]);
      loss[0] += weigh3(U.mul(diag(s.mul(s).mul(s))).mul(V.transpose()));
      const [P, t, Q] = svd2(H[p]);
      loss[0] += weigh2(P.mul(diag(t.mul(t).mul(t))).mul(Q.transpose()));
    }
  }),
  ofEigen: kernel([F, H, loss], { scope: { weigh2, weigh3 } }, (F, H, loss) => {
    for (const p of active(F)) {
      const [l, V] = eig3(F[p].add(F[p].transpose()));
      loss[0] += weigh3(V.mul(diag(l.exp())).mul(V.transpose()));
      const [m, W] = eig2(H[p].add(H[p].transpose()));
      loss[0] += weigh2(W.mul(diag(m.exp())).mul(W.transpose()));
    }
  }),
};

/** Singular vectors themselves, where singular values differ. */
const vectors = {
  vectors3: kernel([F, loss], { scope: { weigh2, weigh3 } }, (F, loss) => {
    for (const p of active(F)) {
      const [U, sigma, V] = svd3(F[p]);
      loss[0] += weigh3(U) + U[0][1] * V[2][1] * sigma[0] + weigh3(V) * sigma[2];
    }
  }),
  vectors2: kernel([H, loss], { scope: { weigh2, weigh3 } }, (H, loss) => {
    for (const p of active(H)) {
      const [U, sigma, V] = svd2(H[p]);
      loss[0] += weigh2(U) * sigma[1] + weigh2(V);
    }
  }),
  eigen: kernel([F, loss], { scope: { weigh2, weigh3 } }, (F, loss) => {
    for (const p of active(F)) {
      const S = F[p].transpose().mul(F[p]);
      const [lambda, V] = eig3(S);
      loss[0] += lambda[0] * V[0][1] * V[0][1] + lambda[2] * V[1][2] * V[2][2] + lambda[1];
    }
  }),
};

const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const bent = [1.3, 0.2, -0.4, 0.1, 0.8, 0.3, -0.2, 0.5, 1.7];

const gradients = async (
  f: KernelDef,
  backend: Backend,
  at: readonly (readonly number[])[],
  h = 1e-4,
): Promise<readonly (readonly [found: number, expected: number])[]> => {
  const sim = await made(program({ layout: tree, kernels: { f, reset }, backend, differentiate: true }));
  const forward = (): void => {
    sim.run.reset();
    (sim.run.f as () => number)();
  };
  const set = (values: readonly (readonly number[])[]): void =>
    values.forEach((v, p) => {
      F.components.forEach((c, n) => sim.field(c).set([p], v[n]));
      H.components.forEach((c, n) => sim.field(c).set([p], [v[0], v[1], v[3], v[4]][n]));
    });
  set(at);
  const used = f.args.includes(F as never) ? (f.args.includes(H as never) ? [F, H] : [F]) : [H];
  const wrt = Object.fromEntries(used.flatMap((m) => m.components.map((c) => [c.name, c])));
  const { gradient } = valueAndGradient(sim, forward, { loss, wrt });
  const all = used.flatMap((m) => m.components).flatMap((c) => [0, 1].map((p) => [c, p] as const));
  const found = all.map(([c, p]) => gradient[c.name].get([p]) as number);
  const expected = all.map(([c, p]) => {
    const here = sim.field(c).get([p]) as number;
    const along = (t: number): number => {
      sim.field(c).set([p], here + t);
      forward();
      sim.field(c).set([p], here);
      return sim.field(loss).get(0);
    };
    return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
  });
  sim.dispose();
  return found.map((g, n) => [g, expected[n]]);
};

describe.each([cpp(), wasm()].map((b) => [b.name, b] as const))('decompositions: %s', (_name, backend) => {
  it.each(Object.entries(kernels))('%s, at the identity and elsewhere', async (_word, f) => {
    for (const [found, expected] of await gradients(f, backend, [identity, bent]))
      expect(Math.abs(found - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
  });

  it('the same by tangents, and values alone are not moved', async () => {
    const { ofSingular } = kernels;
    const alone = kernel([F, loss], (F, loss) => {
      for (const p of active(F)) {
        const [, s] = svd3(F[p]);
        loss[0] += s[0] - s[1];
      }
    });
    const sim = await made(program({ layout: tree, kernels: { ofSingular, alone, reset }, backend, tangents: true }));
    F.components.forEach((c, n) => sim.field(c).set([0], identity[n]));
    F.components.forEach((c, n) => sim.field(c).set([1], identity[n]));
    const { tangent } = valueAndTangent(sim, () => (sim.run.reset(), sim.run.ofSingular()), {
      of: { loss },
      along: (t) => t(F.components[1]).set([0], 1),
    });
    /* d (F Fᵀ F) = 2 dF + dFᵀ at the identity, of dF the entry of the first row and the second column. */
    expect(tangent.loss.get(0)).toBeCloseTo(2 * 1.9 - 1.2, 6);
    expect(valueAndTangent(sim, () => (sim.run.reset(), sim.run.alone()), { of: { loss } }).value.loss.get(0)).toBe(0);
    sim.dispose();
  });

  it.each(Object.entries(vectors))('%s, where no two values are equal', async (_word, f) => {
    const other = [0.9, 0.6, 0.1, -0.7, 1.2, 0.3, 0.4, 0.2, -1.4];
    for (const [found, expected] of await gradients(f, backend, [bent, other]))
      expect(Math.abs(found - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
  });
});

describe('functions with a derivative of their own', () => {
  /** A step whose derivative is said to be that of the identity, three times. */
  const straight = withGradient(
    (v: number) => math.floor(v),
    (_v: number, _result: number, adjoint: number) => 3 * adjoint,
  );
  const divided = withGradient(
    (a: number, b: number): [number, number] => [a / b, a * b],
    (a: number, b: number, [q]: [number, number], [byQ, byP]: [number, number]): [number, number] => [
      byQ / b + byP * b,
      (-byQ * q) / b + byP * a,
    ],
  );
  const f = kernel([x, loss], { scope: { straight, divided } }, (x, loss) => {
    for (const p of active(x)) {
      let sum = 0.0;
      for (let k = 0; k < 3; k++) {
        const [q, m] = divided(x[p] + k, 2 + x[p]);
        sum += q * m * k;
      }
      loss[0] += straight(x[p]) * (p + 1) + sum;
    }
  });
  it('are differentiated as they say', async () => {
    const sim = await made(program({ layout: tree, kernels: { f, reset }, backend: wasm(), differentiate: true }));
    const at = [0.7, 1.3, -0.4, 2.6];
    at.forEach((v, p) => sim.field(x).set([p], v));
    const { gradient, value } = valueAndGradient(
      sim,
      () => {
        sim.run.reset();
        sim.run.f();
      },
      { loss, wrt: { x } },
    );
    const rest = (v: number): number => [1, 2].reduce((s, k) => s + (v + k) * (v + k) * k, 0);
    const slope = (v: number): number => [1, 2].reduce((s, k) => s + 2 * (v + k) * k, 0);
    expect(value).toBeCloseTo(
      at.reduce((s, v, p) => s + Math.floor(v) * (p + 1) + rest(v), 0),
      12,
    );
    at.forEach((v, p) => expect(gradient.x.get([p])).toBeCloseTo(3 * (p + 1) + slope(v), 12));
    sim.dispose();
  });
});
