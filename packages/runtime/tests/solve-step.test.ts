import { adjointField } from '@filigree/autodiff';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { conjugateGradients, kernel, range, solveConjugateGradients } from '@filigree/lang/kernels';
import { program, solveStep, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* Springs of stiffness k in a row, and each node held by a spring of stiffness 1: A(k) x = b. */
const N = 12;
const { x, b, k, p, q, r, loss } = fields('f64', i, ['x', 'b', 'k', 'p', 'q', 'r', 'loss']);
const scope = { N };
const { norm, rho, follow, advance } = conjugateGradients({ x, p, q, r });
const multiply = kernel([p, q, k], { scope }, (p, q, k) => {
  let product = 0.0;
  for (const n of range(N)) {
    let sum = p[n];
    if (n > 0) sum += k[n - 1] * (p[n] - p[n - 1]);
    if (n < N - 1) sum += k[n] * (p[n] - p[n + 1]);
    q[n] = sum;
    product += sum * p[n];
  }
  return product;
});
/* The system that is solved: that of b, or for the derivative that of the adjoint of x. */
const begin = kernel([x, p, r, b], { scope }, (x, p, r, b) => {
  for (const n of range(N)) {
    x[n] = 0.0;
    p[n] = 0.0;
    r[n] = b[n];
  }
});
const total = kernel([x, loss], { scope }, (x, loss) => {
  loss[0] = 0.0;
  for (const n of range(N)) loss[0] += x[n] * x[n] * (n + 1);
});
const kernels = { norm, rho, follow, advance, multiply, begin, total };

const simOf = (backend: ReturnType<typeof wasm>) =>
  made(
    program({
      layout: layout(dense(i, N).place(x, b, k, p, q, r), dense(i, 1).place(loss)),
      kernels,
      backend,
      differentiate: true,
    }),
  );
type Sim = Awaited<ReturnType<typeof simOf>>;

/** x ← A(k)⁻¹ b by launches, whose derivative is the solve of A(k) λ = x̄: b̄ += λ, and of a spring between n and m k̄ −= (λₙ − λₘ)(xₙ − xₘ). */
const solved = (sim: Sim, writes: readonly (typeof x)[] = [p, q, r]): void => {
  const solve = (): void => {
    sim.run.begin();
    solveConjugateGradients(sim.run, { tolerance: 1e-14, mostIterations: 100 });
  };
  solveStep(sim, {
    x,
    b,
    solve,
    working: writes,
    matrix: [k],
    backward: (l, at) => {
      const byK = sim.field(adjointField(k)).toArray();
      for (let n = 0; n < N - 1; n++)
        byK[n] = Number(byK[n]) - (Number(l[n]) - Number(l[n + 1])) * (Number(at[n]) - Number(at[n + 1]));
      sim.field(adjointField(k)).fromArray(byK);
    },
  });
};

describe.each([cpp(), wasm()].map((backend) => [backend.name, backend] as const))(
  'launches that have a derivative together: %s',
  (_name, backend) => {
    it('a linear solve is differentiated by the adjoint solve', async () => {
      const sim = await simOf(backend);
      const [right, stiff] = [1, 2].map((s) => Float64Array.from({ length: N }, (_, n) => 1.3 + Math.sin(s * n + s)));
      const forward = (): void => {
        solved(sim);
        sim.run.total();
      };
      const lossAt = (f: typeof x, n: number, t: number): number => {
        sim.field(b).fromArray(right);
        sim.field(k).fromArray(stiff);
        if (t !== 0) sim.field(f).set(n, (f === b ? right : stiff)[n] + t);
        forward();
        return sim.field(loss).get(0);
      };
      lossAt(b, 0, 0);
      const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { b, k } });
      const found = { b: gradient.b.toArray(), k: gradient.k.toArray() };
      for (const n of [0, 3, N - 2])
        for (const [name, f] of [
          ['b', b],
          ['k', k],
        ] as const) {
          const h = 1e-4;
          const expected = (lossAt(f, n, h) - lossAt(f, n, -h)) / (2 * h);
          expect(Math.abs(Number(found[name][n]) - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
        }
      sim.dispose();
    });
  },
);

it('launches that write what their step does not name are refused', async () => {
  const sim = await simOf(wasm());
  const forward = (): void => {
    solved(sim, [p, q]);
    sim.run.total();
  };
  let code = '';
  try {
    valueAndGradient(sim, forward, { loss, wrt: { b } });
  } catch (e) {
    if (e instanceof DiagnosticError) code = e.diagnostics[0].code;
  }
  expect(code).toBe('tape/undeclared');
  sim.dispose();
});
