import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import {
  active,
  array,
  kernel,
  math,
  polar2,
  random,
  range,
  svd2,
  withGradient,
  type KernelDef,
} from '@filigree/lang/kernels';
import { hessianProduct, hostStep, program, steps, valueAndGradient, valueAndTangent } from '@filigree/runtime';
import { fixed } from '@filigree/quant/formats';
import { bitStruct, dense, dynamic, fields, hash, i, layout, stored, type Layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, v, loss } = fields('f64', i, ['x', 'v', 'loss']);
const { H } = fields('f64', i, { H: [2, 2] });

const reset = kernel([loss], (loss) => {
  loss[0] = 0.0;
});
const swing = kernel([x, v, 'f64'], (x, v, dt) => {
  for (const p of active(x)) {
    v[p] -= dt * Math.sin(x[p]);
    x[p] += dt * v[p];
  }
});
const total = kernel([x, v, loss], (x, v, loss) => {
  for (const p of active(x)) loss[0] += x[p] * x[p] * v[p] + Math.exp(0.3 * x[p]);
});
const wanders = kernel([x, v, 'f64'], (x, v, dt) => {
  for (const p of active(x)) {
    v[p] -= dt * Math.sin(x[p]) * (1 + random());
    x[p] += dt * v[p];
  }
});
const kernels = { reset, swing, total, wanders };

const AT = [0, 1, 2];
const X = [0.4, -0.9, 1.3];
const V = [0.2, 0.5, -0.7];
const WAY = [0.7, -1.1, 0.4];
const ACROSS = [-0.3, 0.8, 1.7];

const onDense = layout(dense(i, 4).place(x, v), dense(i, 1).place(loss));
const onList = layout(dynamic(i, 4).place(x, v), dense(i, 1).place(loss));
const onHash = layout(hash(i, 4).place(x, v), dense(i, 1).place(loss));

type Sim = Awaited<ReturnType<typeof open>>;
const open = (tree: Layout, how: { readonly backend?: 'cpp' | 'wasm'; readonly seed?: number } = {}) =>
  made(
    program({
      layout: tree,
      kernels,
      differentiate: true,
      hessianProducts: true,
      backend: how.backend === 'cpp' ? cpp() : wasm(),
      seed: how.seed ?? 3,
    }),
  );

/** Sets the elements of `x` and `v`, `x` moved along a way. */
const set = (sim: Sim, t: number): void =>
  AT.forEach((p, n) => {
    sim.field(x).set(p, X[n] + t * WAY[n]);
    sim.field(v).set(p, V[n]);
  });
const dot = (f: { get: (at: number) => number }, by: readonly number[]): number =>
  AT.reduce((sum, p, n) => sum + f.get(p) * by[n], 0);

/** Compares the product with a central difference of gradients, and what comes beside it with those. */
const compare = (sim: Sim, forward: (t: number) => void, dt = 0): ReturnType<typeof hessianProduct> => {
  const gradients = (t: number) => {
    set(sim, t);
    sim.seed(3);
    const found = valueAndGradient(sim, () => forward(t), { loss, wrt: { x, v } });
    return [
      dot(found.gradient.x, ACROSS) + dot(found.gradient.v, ACROSS),
      found.byArgument.swing?.dt ?? 0,
      found.value,
    ];
  };
  const h = 1e-5;
  const [more, less, here] = [h, -h, 0].map(gradients);
  set(sim, 0);
  sim.seed(3);
  const found = hessianProduct(sim, () => forward(0), {
    loss,
    wrt: { x, v },
    along: (t) => AT.forEach((p, n) => t(x).set(p, WAY[n])),
    arguments: { swing: { dt } },
  });
  const close = (a: number, b: number, digits = 1e-7): void =>
    expect(Math.abs(a - b)).toBeLessThan(digits * Math.max(1, Math.abs(b)));
  close(found.value, here[2], 1e-12);
  close(dot(found.gradient.x, ACROSS) + dot(found.gradient.v, ACROSS), here[0], 1e-11);
  close(found.byArgument.swing?.dt ?? 0, here[1], 1e-11);
  close(found.slope, (more[2] - less[2]) / (2 * h));
  close(dot(found.product.x, ACROSS) + dot(found.product.v, ACROSS), (more[0] - less[0]) / (2 * h));
  close(found.productByArgument.swing?.dt ?? 0, (more[1] - less[1]) / (2 * h));
  return found;
};

const usable = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm' as const, ...(usable ? ['cpp' as const] : [])];

describe.each(backends)('products with second derivatives on %s', (backend) => {
  it.each([
    ['dense', onDense],
    ['list', onList],
    ['hash', onHash],
  ])('of a state that is overwritten, on a %s layout', async (_, tree) => {
    const sim = await open(tree, { backend });
    if (tree === onList) for (const _ of AT) sim.field(x).append([], 0);
    compare(
      sim,
      (t) => {
        sim.run.reset();
        for (let k = 0; k < 20; k++) sim.run.swing(0.1 + 0.6 * t);
        sim.run.total();
      },
      0.6,
    );
    sim.dispose();
  });

  it('of steps of which few states are kept, and which draw random numbers', async () => {
    const sim = await open(onDense, { backend });
    const bytes = (['all', 'root', 2] as const).map((keep) => {
      const forward = (): void => {
        sim.run.reset();
        steps(sim, 30, () => void sim.run.wanders(0.1), { state: [x, v], keep });
        sim.run.total();
      };
      return compare(sim, forward).tapeBytes;
    });
    expect(bytes[1]).toBeLessThan(0.7 * bytes[0]);
    sim.dispose();
  });
});

/** The product of a kernel over `H` by differences of its gradients, and as it is found. */
const ofMatrix = async (f: KernelDef, at: readonly (readonly number[])[]) => {
  const way = [
    [0.3, -1.2],
    [0.7, 0.9],
  ];
  const sim = await made(
    program({
      layout: layout(dense(i, 1).place(H), dense(i, 1).place(loss)),
      kernels: { reset, f },
      differentiate: true,
      hessianProducts: true,
      backend: wasm(),
    }),
  );
  const forward = (): void => {
    sim.run.reset();
    (sim.run as unknown as { f: () => void }).f();
  };
  const put = (t: number): void =>
    sim.field(H).set(
      0,
      at.map((row, r) => row.map((a, c) => a + t * way[r][c])),
    );
  const gradientAt = (t: number): readonly number[] => {
    put(t);
    return valueAndGradient(sim, forward, { loss, wrt: { H } }).gradient.H.get(0).flat();
  };
  try {
    const [more, less] = [1e-5, -1e-5].map(gradientAt);
    put(0);
    const found = hessianProduct(sim, forward, { loss, wrt: { H }, along: (t) => t(H).set(0, way) });
    return { found: found.product.H.get(0).flat(), expected: more.map((a, n) => (a - less[n]) / 2e-5) };
  } finally {
    sim.dispose();
  }
};

const square = withGradient(
  (a: number) => a * a,
  (a: number, _: number, adjoint: number) => 2 * a * adjoint,
);
/* Straight through: a step is not seen. */
const rounded = withGradient(
  (a: number) => Math.floor(a),
  (_: number, __: number, adjoint: number) => adjoint,
);
/* Says of its result what its text does not. */
const root = withGradient(
  (a: number) => Math.floor(1e9 * Math.sqrt(a)) / 1e9,
  (_: number, result: number, adjoint: number) => (0.5 * adjoint) / result,
);

describe('functions with a derivative of their own', () => {
  it('have the second derivatives that follow from it', async () => {
    const f = kernel([H, loss], { scope: { square, root } }, (H, loss) => {
      for (const p of active(H))
        loss[0] += square(H[p][0][0]) * H[p][0][1] + math.exp(H[p][0][1] * root(H[p][1][1])) + H[p][1][0];
    });
    const { found, expected } = await ofMatrix(f, [
      [0.3, 0.8],
      [0.1, 1.7],
    ]);
    found.forEach((v, n) => expect(Math.abs(v - expected[n])).toBeLessThan(1e-4));
    expect(Math.max(...found.map(Math.abs))).toBeGreaterThan(1);
  });

  it('see nothing of a function that says so', async () => {
    const f = kernel([H, loss], { scope: { rounded } }, (H, loss) => {
      for (const p of active(H)) loss[0] += rounded(3 * H[p][0][0]) * H[p][0][1];
    });
    const { found } = await ofMatrix(f, [
      [0.3, 0.8],
      [0.1, 1.7],
    ]);
    expect(found).toEqual([3 * -1.2, 3 * 0.3, 0, 0]);
  });

  it.each([
    [[1, 0], [0, 1]], // prettier-ignore
    [[1.2, 0.3], [-0.4, 0.8]], // prettier-ignore
  ])('rotations of %s, %s', async (...at) => {
    const f = kernel([H, loss], { scope: { polar2 } }, (H, loss) => {
      for (const p of active(H)) {
        const [R, S] = polar2(H[p]);
        loss[0] += (R[1][0] + 0.3 * R[0][0]) * S[0][1] + S[0][0] * S[1][1];
      }
    });
    const { found, expected } = await ofMatrix(f, at);
    found.forEach((v, n) => expect(Math.abs(v - expected[n])).toBeLessThan(1e-7));
  });

  it('refuses singular vectors, whose derivative is taken elsewhere', async () => {
    const f = kernel([H, loss], { scope: { svd2 } }, (H, loss) => {
      for (const p of active(H)) {
        const [U, s] = svd2(H[p]);
        loss[0] += U[0][0] * s[0];
      }
    });
    const at = [[1.2, 0.3], [-0.4, 0.8]]; // prettier-ignore
    await expect(ofMatrix(f, at)).rejects.toMatchObject({ diagnostics: [{ code: 'tangent/moved' }] });
  });
});

it('products by the elements of an array', async () => {
  const f = kernel([x, loss, array('f64', 3)], (x, loss, weights) => {
    for (const p of range(3)) loss[0] += Math.sin(weights[p] * x[p]) * weights[0];
  });
  const sim = await made(
    program({ layout: onDense, kernels: { reset, f }, hessianProducts: [x, loss], backend: wasm() }),
  );
  const W = [0.3, 0.8, -1.1];
  const forward = (): void => {
    sim.run.reset();
    sim.run.f(W);
  };
  AT.forEach((p, n) => sim.field(x).set(p, X[n]));
  const found = hessianProduct(sim, forward, { loss, wrt: { x }, arguments: { f: { weights: WAY } } });
  const of = (w: readonly number[]): readonly number[] => {
    const by = w.map((a, p) => Math.cos(a * X[p]) * X[p] * w[0]);
    return by.map((b, p) => (p === 0 ? b + w.reduce((sum, a, q) => sum + Math.sin(a * X[q]), 0) : b));
  };
  const [more, less] = [1e-5, -1e-5].map((h) => of(W.map((a, p) => a + h * WAY[p])));
  of(W).forEach((g, p) => expect(found.byArray.f.weights[p]).toBeCloseTo(g, 12));
  more.forEach((g, p) => expect(found.productByArray.f.weights[p]).toBeCloseTo((g - less[p]) / 2e-5, 8));
  sim.dispose();
});

it('goes straight through formats', async () => {
  const few = stored(x, fixed(16, 4));
  const sim = await made(
    program({
      layout: layout(dense(i, 4).place(bitStruct(16, few), v), dense(i, 1).place(loss)),
      kernels,
      hessianProducts: true,
      backend: wasm(),
    }),
  );
  AT.forEach((p, n) => sim.field(x).set(p, X[n]));
  const forward = (): void => {
    sim.run.reset();
    sim.run.swing(0.1);
    sim.run.total();
  };
  const found = hessianProduct(sim, forward, { loss, wrt: { x }, along: (t) => AT.forEach((p, n) => t(x).set(p, WAY[n])) }); // prettier-ignore
  AT.forEach((p, n) => {
    /* After a step from v = 0: w = -dt sin x, y = x + dt w, and y² w + exp(0.3 y), by Taylor series to the second order. */
    const at = X[n];
    const g = (z: number): number => {
      const [w, dw] = [-0.1 * Math.sin(z), -0.1 * Math.cos(z)];
      const [y, dy] = [z + 0.1 * w, 1 + 0.1 * dw];
      return 2 * y * dy * w + y * y * dw + 0.3 * dy * Math.exp(0.3 * y);
    };
    const expected = ((g(at + 1e-5) - g(at - 1e-5)) / 2e-5) * WAY[n];
    expect(Math.abs(found.product.x.get(p) - expected)).toBeLessThan(1e-3);
    expect(found.product.x.get(p)).not.toBe(0);
  });
  sim.dispose();
});

describe('what is refused', () => {
  const code = (f: () => unknown): string => {
    try {
      f();
    } catch (e) {
      return (e as { diagnostics: { code: string }[] }).diagnostics[0].code;
    }
    return 'nothing';
  };
  it('is said', async () => {
    const sim = await open(onDense);
    set(sim, 0);
    const forward = (): void => {
      sim.run.reset();
      sim.run.total();
    };
    const wrt = { x };
    const without = await made(
      program({ layout: onDense, kernels, differentiate: true, tangents: true, backend: wasm() }),
    );
    expect(code(() => hessianProduct(without, forward, { loss, wrt }))).toBe('product/none');
    const some = await made(program({ layout: onDense, kernels, hessianProducts: [x, loss], backend: wasm() }));
    expect(code(() => hessianProduct(some, forward, { loss, wrt: { v } }))).toBe('product/field');
    expect(code(() => hessianProduct(sim, () => sim.run.reset(), { loss, wrt }))).toBe('tape/independent');
    const step = { reads: [x], writes: [loss], forward: () => sim.field(loss).set(0, 1), backward: () => {} };
    expect(code(() => hessianProduct(sim, () => hostStep(sim, step), { loss, wrt }))).toBe('product/host-step');
    expect(code(() => hessianProduct(sim, () => sim.field(x).set(0, 1), { loss, wrt }))).toBe('tangent/outside');
    const product = (): unknown => hessianProduct(sim, forward, { loss, wrt });
    expect(code(() => valueAndGradient(sim, product as () => void, { loss, wrt }))).toBe('tape/outside');
    expect(code(() => hessianProduct(sim, product as () => void, { loss, wrt }))).toBe('tangent/nested');
    expect(code(() => valueAndTangent(sim, product as () => void, { of: { loss } }))).toBe('tangent/nested');
    const gradient = (): void => void valueAndGradient(sim, forward, { loss, wrt });
    expect(code(() => hessianProduct(sim, gradient, { loss, wrt }))).toBe('tangent/outside');
    expect(code(() => hessianProduct(sim, forward, { loss, wrt, arguments: { swing: { by: 1 } } }))).toBe('tangent/argument'); // prettier-ignore
    /* None of this has left anything behind. */
    compare(sim, forward);
    for (const s of [sim, without, some]) s.dispose();
  });

  it('is what is no field of floats', async () => {
    const { n } = fields('i32', i, ['n']);
    const made = program({ layout: layout(dense(i, 4).place(n)), kernels: {}, hessianProducts: true, backend: wasm() });
    expect(await made()).toMatchObject({ left: [{ code: 'program/hessianProducts' }] });
  });
});
