import { adjoint, adjointField, withGradients } from '@filigree/autodiff';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { active, kernel, lowerKernels, ndrange, range, type KernelDef } from '@filigree/lang/kernels';
import { hessianProduct, hostStep, program, steps, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, ij, layout, layoutTree, type FieldDecl, type Layout } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* Adjoints that the first launch to run backwards sets wholly are not cleared before: whatever they hold, gradients are the same. */
const [R, N] = [3, 8192];
const [L, W] = [R * N, 128];
const { c, d } = fields('f64', ij, ['c', 'd']);
const { a } = fields('f64', ij, ['a']);
const { x, y, z, loss, other } = fields('f64', i, ['x', 'y', 'z', 'loss', 'other']);
const { at } = fields('i32', i, ['at']);
const scope = { scope: { N, L, W } };
const dot = kernel([c, d, loss], scope, (c, d, loss) => {
  for (const [k, p] of ndrange(3, N)) loss[0] += c[k][p] * d[k][p];
});
const inner = kernel([c, loss], scope, (c, loss) => {
  for (const [k, p] of ndrange(3, [1, N - 1])) loss[0] += c[k][p] ** 2;
});
const square = kernel([x, y], scope, (x, y) => {
  for (const p of range(L)) y[p] = x[p] * x[p] + 1;
});
const sum = kernel([y, loss], scope, (y, loss) => {
  for (const p of range(L)) loss[0] += y[p] ** 2;
});
const taps = kernel([x, loss], scope, (x, loss) => {
  for (const p of range(2, L - 1)) loss[0] += (x[p - 2] - 3 * x[p] + x[p + 1]) ** 2;
});
const plane = kernel([a, loss], scope, (a, loss) => {
  for (const [p, q] of active(a)) loss[0] += Math.sin(a[p][q]);
});

const first = (f: KernelDef, tree: Layout): readonly string[] => {
  const { layout: withAdjoints, adjoints } = withGradients(tree);
  const lowered = lowerKernels({ f }, tree, 'm', [], { derivatives: true, debug: false });
  if (E.isLeft(lowered)) throw new Error(lowered.left[0].message);
  const module = { ...lowered.right.module, layout: layoutTree(withAdjoints) };
  return [...(adjoint(module, 'f', { adjoints }).first?.sets ?? [])].sort();
};

const plain = layout(
  dense(ij, [R, N]).place(c, d),
  dense(ij, W).place(a),
  ...[x, y, z, at].map((f) => dense(i, L).place(f)),
  dense(i, 1).place(loss, other),
);

describe('adjoints that are set by whoever comes first', () => {
  const found: Readonly<Record<string, readonly [KernelDef, readonly string[]]>> = {
    'lines of a box that one loop goes over': [dot, ['c_grad', 'd_grad']],
    'what is read and written': [square, ['x_grad', 'y_grad']],
    'what is gathered, in the inside and at the ends': [taps, ['x_grad']],
    'active elements': [plane, ['a_grad']],
    'not a part': [inner, []],
    'not in a branch': [
      kernel([x, loss], scope, (x, loss) => {
        for (const p of range(L)) if (p % 2 === 0) loss[0] += x[p] ** 2;
      }),
      [],
    ],
    'not twice': [
      kernel([x, loss], scope, (x, loss) => {
        for (const p of range(L)) loss[0] += x[p] ** 2;
        for (const p of range(L)) loss[0] += Math.sin(x[p]);
      }),
      [],
    ],
    'not what is looked up': [
      kernel([x, at, loss], scope, (x, at, loss) => {
        for (const p of range(L)) loss[0] += x[at[p]] ** 2;
      }),
      [],
    ],
    'not beyond the end': [
      kernel([x, loss], scope, (x, loss) => {
        for (const p of range(L)) loss[0] += x[p + 1] ** 2;
      }),
      [],
    ],
    'not elements over and over': [
      kernel([c, loss], scope, (c, loss) => {
        for (const p of range(N)) {
          let s = 0.0;
          for (const k of range(5)) s += c[k % 3][p] * k;
          loss[0] += s ** 2;
        }
      }),
      [],
    ],
  };
  it.each(Object.entries(found))('%s', (_name, [f, sets]) => {
    expect(first(f, plain)).toEqual(sets);
  });

  it.each([
    ['few elements', layout(dense(i, 64).place(x, y), dense(i, 1).place(loss))],
    ['a bit for each element', layout(dense(i, L).bitmasked().place(x, y), dense(i, 1).place(loss))],
    ['blocks', layout(dense(i, 3).pointer().dense(i, N).place(x, y), dense(i, 1).place(loss))],
    ['one array, of which others are not set', layout(dense(i, L).place(x, y, z), dense(i, 1).place(loss))],
    [
      'placed beside others',
      layout(dense(i, L).place(x, y, adjointField(x), adjointField(y)), dense(i, 1).place(loss)),
    ],
  ])('not of %s', (_name, tree) => {
    expect(first(square, tree)).toEqual([]);
  });

  const kernels = {
    dot, inner, square, sum, taps, plane,
    clear: kernel([loss, other], (loss, other) => {
      loss[0] = 0.0;
      other[0] = 0.0;
    }),
    cube: kernel([x, other], scope, (x, other) => {
      for (const p of range(L)) other[0] += x[p] ** 3;
    }),
    twice: kernel([x, y], scope, (x, y) => {
      for (const p of range(L)) x[p] = 0.5 * y[p];
    }),
    /* A step along the gradient that was found last. */
    step: kernel([x, adjointField(x), z], scope, (x, by, z) => {
      for (const p of range(L)) z[p] = x[p] - 0.1 * by[p];
    }),
    ends: kernel([z, loss], scope, (z, loss) => {
      for (const p of range(L)) loss[0] += z[p] ** 2;
    }),
  }; // prettier-ignore
  const [X, C, D] = [
    Float64Array.from({ length: L }, (_, p) => 0.5 + 0.3 * Math.sin(p)),
    Float64Array.from({ length: L }, (_, p) => Math.cos(3 * p)),
    Float64Array.from({ length: L }, (_, p) => Math.sin(5 * p)),
  ];
  type Sim = Awaited<ReturnType<typeof open>>;
  const open = (backend: ReturnType<typeof wasm>, threads: number) =>
    made(program({ layout: plain, kernels, backend, threads, differentiate: true }));
  const programs: Readonly<Record<string, readonly [run: (s: Sim) => void, of: FieldDecl]>> = {
    'one launch': [(s) => s.run.dot(), loss],
    'a part before': [(s) => (s.run.inner(), s.run.dot()), loss],
    'a part behind': [(s) => (s.run.dot(), s.run.inner()), loss],
    'the same twice': [(s) => (s.run.dot(), s.run.dot()), loss],
    'a chain': [(s) => (s.run.square(), s.run.sum()), loss],
    'a chain that goes round': [(s) => (s.run.square(), s.run.twice(), s.run.square(), s.run.sum(), s.run.taps()), loss],
    'another loss': [(s) => (s.run.square(), s.run.sum(), s.run.taps(), s.run.cube()), other],
    'a launch that the loss does not follow from': [(s) => (s.run.taps(), s.run.cube()), loss],
    'a step of the host between': [
      (s) => {
        s.run.square();
        hostStep(s as never, {
          reads: [y],
          writes: [z],
          forward: () => s.field(z).set(3, 2 * s.field(y).get(3)),
          backward: () => {
            const by = s.field(adjointField(y));
            by.set(3, by.get(3) + 2 * s.field(adjointField(z)).get(3));
          },
        });
        s.run.ends();
      },
      loss,
    ],
    'steps that run again': [
      (s) => {
        steps(s as never, 4, () => void (s.run.square(), s.run.twice()), { state: [x, y], keep: 2 });
        s.run.taps();
      },
      loss,
    ],
    'the gradient that was found last': [(s) => (s.run.step(), s.run.ends(), s.run.square(), s.run.sum()), loss],
  }; // prettier-ignore
  for (const [name, backend, threads] of [
    ['cpp, two threads', cpp(), 2],
    ['wasm', wasm(), 1],
  ] as const)
    it(`are the same, whatever they held: ${name}`, async () => {
      const s = await open(backend, threads);
      const values = (of: FieldDecl): Float64Array =>
        Float64Array.from(s.field(adjointField(of)).toArray() as ArrayLike<number>);
      const grad = (run: (s: Sim) => void, of: FieldDecl): readonly (readonly [string, Float64Array])[] => {
        s.field(x).fromArray(X);
        s.field(c).fromArray(C);
        s.field(d).fromArray(D);
        s.field(z).fill(0.25);
        valueAndGradient(s, () => (s.run.clear(), run(s)), { loss: of, wrt: { x, c, d, y, z } });
        return [x, y, z, c, d, a].map((f) => [f.name, values(f)] as const);
      };
      const soil = (by: number): void => {
        for (const f of [y, z, c, d, a]) s.field(adjointField(f)).fill(by);
        s.field(adjointField(x)).fill(0.125);
      };
      for (const [what, [run, of]] of Object.entries(programs)) {
        soil(0);
        const clean = grad(run, of);
        /* The second time it may be known what is launched, the third time adjoints are one list. */
        for (const by of [NaN, 7, Infinity]) {
          soil(by);
          for (const [n, [f, v]] of grad(run, of).entries()) {
            const worst = v.reduce((all, u, p) => Math.max(all, Math.abs(u - clean[n][1][p])), 0);
            expect(worst, `${what}: ${f}`).toBeLessThanOrEqual(1e-12);
          }
        }
      }
      soil(NaN);
      const [, [, byY], , [, byC], [, byD]] = grad((sim) => (sim.run.dot(), sim.run.taps()), loss);
      expect([byC[7], byD[L - 1], byY[5]]).toEqual([D[7], C[L - 1], 0]);
      s.dispose();
    });

  it('have right second derivatives', async () => {
    const s = await made(program({ layout: plain, kernels: { dot, square, sum }, backend: wasm(), hessianProducts: true })); // prettier-ignore
    s.field(x).fromArray(X);
    for (const by of [0, 1, 2]) {
      const { gradient, product } = hessianProduct(s, () => (s.run.square(), s.run.sum()), {
        loss,
        wrt: { x },
        along: (t) => t(x).fill(1),
      });
      const v = X[by];
      expect(gradient.x.get(by)).toBeCloseTo(4 * v * (v * v + 1), 12);
      expect(product.x.get(by)).toBeCloseTo(12 * v * v + 4, 12);
    }
    s.dispose();
  });
});
