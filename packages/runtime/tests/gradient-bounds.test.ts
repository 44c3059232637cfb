import { adjoint, withGradients } from '@filigree/autodiff';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { allocateBuffers, coreDialects, interpret, printKernel, walk, type Kernel, type Module } from '@filigree/ir';
import { active, kernel, lowerKernels, ndrange, range, type KernelDef } from '@filigree/lang/kernels';
import { program, valueAndGradient } from '@filigree/runtime';
import { dense, fieldDialect, fields, i, ij, layout, layoutTree, type FieldDecl } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning'; // prettier-ignore
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* Stencils between bounds that only a launch knows: arguments, what follows from them, and elements of a field. */
const [N, M] = [40, 16];
const { u, v, c } = fields('f64', i, ['u', 'v', 'c']);
const { a, b } = fields('f64', ij, ['a', 'b']);
const { loss } = fields('f64', i, ['loss']);
const { size } = fields('i32', i, ['size']);
const tree = layout(
  dense(i, N).place(u, v, c),
  dense(ij, [M, M]).place(a, b),
  dense(i, 1).place(loss),
  dense(i, 1).place(size),
);
const stencils: Readonly<Record<string, KernelDef>> = {
  'from a number to an argument': kernel([u, v, 'i32'], (u, v, n) => {
    for (const p of range(1, n - 1)) v[p] += u[p - 1] - 2 * u[p] * u[p] + u[p + 1] * u[p];
  }),
  'a loss': kernel([u, loss, 'i32', 'i32'], (u, loss, from, to) => {
    for (const p of range(from, to)) loss[0] += (u[p - 1] - 2 * u[p] + u[p + 2]) ** 2;
  }),
  'to what a field says': kernel([u, v, size], (u, v, size) => {
    for (const p of range(1, size[0] - 1)) v[p] = u[p - 1] * u[p + 1];
  }),
  'in two directions': kernel([a, b, 'i32', 'i32'], (a, b, n, m) => {
    for (const [p, q] of ndrange([1, n - 1], [1, m - 1]))
      b[p][q] = a[p - 1][q] + a[p + 1][q] * a[p][q - 1] + a[p][q + 1] - 4 * a[p][q];
  }),
  'a loss in two directions': kernel([a, loss, 'i32', 'i32'], (a, loss, n, m) => {
    for (const p of range(n)) for (const q of range(1, m)) loss[0] += (a[p][q] - a[p][q - 1]) ** 2 * a[p + 1][q];
  }),
  'in a branch': kernel([u, v, 'i32'], (u, v, n) => {
    for (const p of range(n)) if (p > 0 && p < n - 1) v[p] += u[p - 1] * u[p + 1];
  }),
  'in a branch of all': kernel([a, b, 'i32', 'i32'], (a, b, n, m) => {
    for (const [p, q] of active(a))
      if (p > 0 && n - 1 > p && q !== 0 && !(q >= m)) b[p][q] = a[p - 1][q] * a[p + 1][q - 1];
  }),
  'but at the ends': kernel([u, v, 'i32'], (u, v, n) => {
    for (const p of range(n)) if (p !== 0 && n - 1 !== p) v[p] = u[p - 1] * u[p + 1];
  }),
  'in a branch by sums': kernel([u, v, 'i32'], (u, v, n) => {
    for (const p of active(u)) if (p - 1 >= 0 && p + 2 < n) v[p] = u[p - 1] * u[p + 2];
  }),
  'where neighbours are asked for': kernel([u, v, 'i32'], (u, v, n) => {
    for (const p of range(n)) v[p] = (p > 0 ? u[p - 1] : 0) * u[p] + (p < n - 1 ? u[p + 1] ** 2 : 0);
  }),
  'passed over': kernel([u, v, 'i32', 'i32'], (u, v, n, r) => {
    for (const p of range(n)) {
      if (p < r || p + r >= n) continue;
      v[p] += u[p - 1] * u[p + 1];
    }
  }),
  'at a distance': kernel([u, v, 'i32', 'i32'], (u, v, n, d) => {
    for (const p of range(n)) v[p] = u[p] * u[p + d] + u[p - 2 * d];
  }),
  'a loss far out': kernel([u, loss, 'i32'], (u, loss, from) => {
    for (const p of range(from, from + 9)) loss[0] += u[p - from] * u[p - from + 1];
  }),
  'a filter': kernel([u, v, c, 'i32', 'i32'], (u, v, c, n, r) => {
    for (const p of range(r, n - r)) {
      let sum = 0.0;
      for (const k of range(-r, r + 1)) sum += c[k + r] * u[p + k];
      v[p] = sum;
    }
  }),
  'a filter that asks': kernel([u, v, 'i32', 'i32'], (u, v, n, r) => {
    for (const p of range(n)) {
      let sum = 0.0;
      for (const k of range(-r, r + 1)) if (p + k >= 0 && p + k < n) sum += u[p + k] ** 2;
      v[p] = sum;
    }
  }),
  'a filter in two directions': kernel([a, b, c, 'i32', 'i32'], (a, b, c, n, r) => {
    for (const [p, q] of ndrange([r, n - r], [r, n - r])) {
      let sum = 0.0;
      for (const k of range(-r, r + 1)) for (const l of range(-r, r + 1)) sum += c[k + l + 2 * r] * a[p + k][q + l];
      b[p][q] += sum;
    }
  }),
  'a filter that is used twice': kernel([u, v, 'i32', 'i32'], (u, v, n, r) => {
    for (const p of range(r, n - r)) {
      let sum = 0.0;
      for (const k of range(-r, r + 1)) sum += u[p + k];
      v[p] = sum * u[p];
    }
  }),
  'of nine taps': kernel([u, v, c], { scope: { N } }, (u, v, c) => {
    for (const p of range(4, N - 4)) {
      let sum = 0.0;
      for (const k of range(9)) sum += c[k] * u[p + k - 4];
      v[p] = sum;
    }
  }),
};
/* Of these a few iterations at the ends still add by atomics. */
const ended: Readonly<Record<string, KernelDef>> = {
  'kept within': kernel([u, v, 'i32'], (u, v, n) => {
    for (const p of range(n)) v[p] += u[Math.max(p - 1, 0)] + u[Math.min(p + 1, n - 1)] * u[p];
  }),
  'kept within by choices': kernel([u, v, 'i32'], (u, v, n) => {
    for (const p of range(n)) v[p] = u[p > 0 ? p - 1 : 0] * u[p < n - 1 ? p + 1 : n - 1];
  }),
  'kept within two directions': kernel([a, b, 'i32', 'i32'], (a, b, n, m) => {
    for (const [p, q] of ndrange(n, m))
      b[p][q] = a[Math.max(p - 1, 0)][q] * a[p][Math.min(q + 1, m - 1)] + a[Math.min(p + 1, n - 1)][Math.max(q - 2, 0)];
  }),
  'kept within other limits': kernel([u, v, 'i32', 'i32'], (u, v, n, d) => {
    for (const p of active(u)) v[p] = u[Math.min(Math.max(p + d, 1), n - 1)] * u[p];
  }),
  'a loss kept within': kernel([u, loss, 'i32', 'i32'], (u, loss, from, to) => {
    for (const p of range(from, to)) loss[0] += u[Math.max(p - 1, 0)] + u[Math.max(p + 5, 1)] ** 2;
  }),
  'a loss kept within far out': kernel([u, loss, 'i32', 'i32'], (u, loss, from, n) => {
    for (const p of range(from, from + 9)) loss[0] += u[Math.min(p - from, n - 1)] * u[p - from];
  }),
  'going round': kernel([u, v, 'i32'], (u, v, n) => {
    for (const p of range(n)) v[p] = u[(p + n - 1) % n] * u[(p + 1) % n] - u[p];
  }),
  'a filter that is kept within': kernel([u, v, 'i32', 'i32'], (u, v, n, r) => {
    for (const p of range(n)) {
      let sum = 0.0;
      for (const k of range(-r, r + 1)) sum += u[Math.min(Math.max(p + k, 0), n - 1)];
      v[p] = sum * u[p];
    }
  }),
};
const all = { ...stencils, ...ended };
const numbered = Object.fromEntries(Object.values(all).map((f, n) => [`f${n}`, f]));

const { layout: withAdjoints, adjoints } = withGradients(tree);
const moduleOf = (f: KernelDef): Module => {
  const lowered = lowerKernels({ f }, tree, 'm', [], { derivatives: true, debug: false });
  if (E.isLeft(lowered)) throw new Error(lowered.left[0].message);
  return { ...lowered.right.module, layout: layoutTree(withAdjoints) };
};
const reverse = (f: KernelDef, gather: boolean): { readonly module: Module; readonly kernel: Kernel } => {
  const module = moduleOf(f);
  const { kernel, buffers } = adjoint(module, 'f', { adjoints, gather });
  return { module: { ...module, buffers, kernels: [kernel] }, kernel };
};
const cells = (extents: readonly number[]): readonly (readonly number[])[] =>
  extents.reduce<readonly (readonly number[])[]>((all, n) => all.flatMap((at) => Array.from({ length: n }, (_, k) => [...at, k])), [[]]); // prettier-ignore
const placed = [[u, [N]], [v, [N]], [c, [N]], [a, [M, M]], [b, [M, M]], [loss, [1]]] as const; // prettier-ignore
/** What an adjoint kernel leaves in all adjoints. */
const swept = (
  { module, kernel }: ReturnType<typeof reverse>,
  args: readonly number[],
  length: number,
): readonly number[] => {
  // prettier-ignore
  const store = new FieldStore(withAdjoints);
  placed.forEach(([{ name }, extents], n) =>
    cells(extents).forEach((at, k) => {
      store.store(name, at, Math.sin(3 * k + n));
      store.store(`${name}_grad`, at, Math.cos(2 * k - n));
    }),
  );
  store.store('size', [0], length);
  const dialects = [...coreDialects, fieldDialect(withAdjoints, store)];
  const ran = interpret(module, dialects, allocateBuffers(module.buffers), { kernel: kernel.name, args, maxSteps: 1e7 }); // prettier-ignore
  if (E.isLeft(ran)) throw new Error(ran.left[0].message);
  return placed.flatMap(([{ name }, extents]) => cells(extents).map((at) => Number(store.load(`${name}_grad`, at))));
};

/* Fewer than there are neighbours, all, more than there are elements, and none. */
const bound = fc.oneof(fc.integer({ min: -3, max: N + 5 }), fc.constantFrom(0, 1, 2, M - 1, M, M + 1, N - 1, N, N + 1));
const radius = fc.integer({ min: -2, max: 6 });

describe('adjoints of stencils between bounds that only a launch knows', () => {
  it.each(Object.keys(stencils))('have no atomics where iterations own elements: %s', (name) => {
    const [gathers, adds] = [true, false].map((gather) => printKernel(reverse(stencils[name], gather).kernel));
    expect(adds).toMatch(/field\.atomic.*[ua]_grad/);
    expect(gathers).not.toMatch(/field\.atomic.*[ua]_grad/);
    expect(gathers).toContain('simd = true');
  });

  /** How many elements of adjoints the loops change in which something is atomic. */
  const changedByAtomics = ({ module, kernel }: ReturnType<typeof reverse>, args: readonly number[]): number => {
    type Ops = Kernel['body']['ops'];
    const isAtomic = (op: Ops[number]): boolean =>
      op.name === 'field.atomic' || op.regions.some((r) => r.ops.some(isAtomic));
    const [some, none] = [isAtomic, () => false].map((keeps) => {
      const ops = kernel.body.ops.filter((op) => op.name !== 'scf.for' || keeps(op));
      const left = { ...kernel, body: { ...kernel.body, ops } };
      return swept({ module: { ...module, kernels: [left] }, kernel: left }, args, N);
    });
    return some.filter((x, n) => x !== none[n]).length;
  };

  it.each(Object.keys(ended))('have them for a few iterations at the ends alone: %s', (name) => {
    const found = reverse(ended[name], true);
    const isFlat = name.includes('two');
    const count = changedByAtomics(
      found,
      (isFlat ? [M, M] : name.includes('far') ? [0, 6] : name.includes('loss') ? [0, N] : [N, 2]).slice(
        0,
        found.kernel.params.length,
      ),
    );
    expect(count).toBeGreaterThan(0);
    /* At each end what is set there and two or four neighbours. */
    expect(count).toBeLessThanOrEqual(isFlat ? 2 * (M * M - (M - 4) ** 2) : 24);
  });

  it.each(Object.keys(all))('are what they are by atomics, whatever the bounds: %s', (name) => {
    const [gathers, adds] = [true, false].map((gather) => reverse(all[name], gather));
    const { params } = gathers.kernel;
    let isBounded = true;
    walk(gathers.kernel.body, (op) => (isBounded &&= op.attrs.field !== 'loss_grad' && !name.includes('filter')));
    /* Where integers of 32 bits go round, too. */
    const far = [2 ** 31 - 1, -(2 ** 31), 2 ** 30, -(2 ** 30), 2 ** 29, 2 ** 28 + 1];
    type Given = readonly [number, number, number, number];
    const ofBounded = far.flatMap((x): readonly Given[] => [[x, 2, 1, x], [N, x, 1, N], [x, (x - 1) | 0, 1, N]]); // prettier-ignore
    const ofLosses: readonly Given[] = name.includes('far out')
      ? [
          [2 ** 30, 5, 1, N],
          [5 - 2 ** 29, 100 - 2 ** 31, 1, N],
        ]
      : [[2 ** 31 - 10, 2 ** 31 - 1, 1, N]];
    const examples = (isBounded ? ofBounded : ofLosses).map((e): [number, number, number, number] => [...e]);
    fc.assert(
      fc.property(bound, bound, radius, bound, (x, y, r, length) => {
        const args = [x, name.includes('filter') ? r : y].slice(0, params.length);
        const [here, there] = [gathers, adds].map((k) => swept(k, args, length));
        const off = here.filter((value, n) => !(Math.abs(value - there[n]) < 1e-10 * Math.max(1, Math.abs(value))));
        expect(off).toEqual([]);
      }),
      { numRuns: 20, examples: /filter|directions|^a loss$/.test(name) ? [] : examples },
    );
  });

  const reset = kernel([v, b, loss], (v, b, loss) => {
    loss[0] = 0.0;
    for (const p of active(v)) v[p] = 0.3 * Math.sin(p + 1);
    for (const [p, q] of active(b)) b[p][q] = 0.1 * Math.cos(p - 2 * q);
  });
  const total = kernel([v, b, loss], (v, b, loss) => {
    for (const p of active(v)) loss[0] += v[p] * v[p] * (1 + 0.1 * p);
    for (const [p, q] of active(b)) loss[0] += b[p][q] * b[p][q] * (1 + 0.1 * p - 0.05 * q);
  });
  const given: readonly (readonly [FieldDecl, readonly number[]])[] = [
    [u, [N]],
    [c, [N]],
    [a, [M, M]],
  ];
  for (const [how, backend, threads] of [
    ['cpp, two threads', cpp(), 2],
    ['wasm, one thread', wasm(), 1],
    ['wasm, two threads', wasm(), 2],
  ] as const)
    it(`give gradients that are those of differences: ${how}`, async () => {
      const sim = await made(
        program({ layout: tree, kernels: { ...numbered, reset, total }, differentiate: true, backend, threads }),
      );
      const run = sim.run as unknown as Readonly<Record<string, (...args: readonly number[]) => void>>;
      for (const [field, extents] of given)
        cells(extents).forEach((at, k) => sim.field(field).set(at, 0.4 + 0.3 * Math.sin(1.3 * k)));
      for (const [at, [name, f]] of Object.entries(all).entries()) {
        const { kernel, reads } = adjoint(moduleOf(f), 'f', { adjoints });
        for (const [n, m] of [
          [13, 3],
          [N, 2],
          [N + 3, -1],
          [2, 5],
          [M, M],
        ] as const) {
          // prettier-ignore
          sim.field(size).set(0, n);
          const forward = (): void => {
            run.reset();
            run[`f${at}`](...[n, m].slice(0, kernel.params.length));
            run.total();
          };
          const used = given.filter(([field]) => reads.includes(field.name));
          const wrt = Object.fromEntries(used.map(([field]) => [field.name, field]));
          const { gradient } = valueAndGradient(sim, forward, { loss, wrt });
          for (const [field, extents] of used) {
            const places = cells(extents).filter((_, k) => k % 13 === 0 || k < 2);
            const by = gradient[field.name] as { readonly get: (at: readonly number[]) => number };
            const found = places.map((at) => by.get(at));
            places.forEach((at, k) => {
              const here = Number(sim.field(field).get(at));
              const along = (t: number): number => {
                sim.field(field).set(at, here + t);
                forward();
                sim.field(field).set(at, here);
                return Number(sim.field(loss).get(0));
              };
              const h = 1e-3;
              const expected = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
              const text = `${name} (${n}, ${m}): ${field.name}[${at.join()}] is ${found[k]}, by differences ${expected}`;
              expect(Math.abs(found[k] - expected), text).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
            });
          }
        }
      }
      sim.dispose();
    }, 120_000);
});
