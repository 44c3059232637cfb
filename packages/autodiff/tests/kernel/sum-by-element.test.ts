import { adjoint, withGradients } from '@filigree/autodiff';
import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  interpret,
  printKernel,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';
import { dense, field, fieldDialect, i, ij, layout, layoutTree } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/* A layer of a network: y[n][o] = sin(b[o] + Σ x[n][k] w[o][k]), or with w[k][o]. */
const [N, O, K] = [7, 32, 6];
const sizes = { x: [N, K], w: [O, K], v: [K, O], y: [N, O], b: [O], all: [1] } as const;
const of = Object.fromEntries(Object.keys(sizes).map((name) => [name, field(name, 'f64')]));
const { layout: tree, adjoints } = withGradients(
  layout(
    ...(['x', 'w', 'v', 'y'] as const).map((f) => dense(ij, [...sizes[f]]).place(of[f])),
    dense(i, O).place(of.b),
    dense(i, 1).place(of.all),
  ),
  Object.values(of),
);

interface Form {
  /** Whether the weights lie by outputs, or by inputs. */
  readonly byOutput: boolean;
  /** Whether the outer two loops are one over all pairs. */
  readonly joined: boolean;
  /** Whether an output is a sum of functions of products, or a function of the sum. */
  readonly inside: boolean;
  /** Whether iterations are told apart, so that a loop may be run in any order. */
  readonly also: boolean;
}

const layer = ({ byOutput, joined, inside, also }: Form): Module => ({
  name: 'm',
  layout: layoutTree(tree),
  buffers: [],
  kernels: [
    buildKernel(
      'f',
      {},
      (b) => {
        const load = (name: string, ...at: readonly Value[]): Value => b.value('field.load', at, { field: name });
        const output = (n: Value, o: Value): void => {
          const [sum] = b.for(b.i32(0), b.i32(K), b.i32(1), {}, [load('b', o)], (k, [s]) => {
            const product = b.mul(load('x', n, k), byOutput ? load('w', o, k) : load('v', k, o));
            return b.add(s, inside ? b.math('sin', product) : product);
          });
          b.op('field.store', [b.math('sin', sum), n, o], { field: 'y' });
          if (also) b.op('field.atomic', [b.mul(sum, sum), b.i32(0)], { field: 'all', kind: 'add' });
        };
        loops(b, joined, output);
      },
      [],
      { dialects: [...coreDialects, fieldDialect(tree)] },
    ),
  ],
  attrs: {},
});

const loops = (b: Builder, joined: boolean, body: (n: Value, o: Value) => void): void => {
  const parallel = { parallel: true };
  if (joined)
    b.for(b.i32(0), b.i32(N * O), b.i32(1), parallel, [], (k) => body(b.div(k, b.i32(O)), b.rem(k, b.i32(O))));
  else
    b.for(b.i32(0), b.i32(N), b.i32(1), parallel, [], (n) => {
      b.for(b.i32(0), b.i32(O), b.i32(1), {}, [], (o) => body(n, o));
    });
};

const names = Object.keys(sizes) as readonly (keyof typeof sizes)[];

const placesOf = (name: keyof typeof sizes): readonly (readonly number[])[] => {
  let places: readonly (readonly number[])[] = [[]];
  for (const extent of sizes[name])
    places = places.flatMap((at) => Array.from({ length: extent }, (_, k) => [...at, k]));
  return places;
};

/** All adjoints for random values and random adjoints of the results. */
const found = (module: Module, gather: boolean, seed: number): readonly number[] => {
  const made = adjoint(module, 'f', { adjoints, gather });
  const store = new FieldStore(tree);
  names.forEach((name, n) =>
    placesOf(name).forEach((at, k) =>
      [name, adjoints[name]].forEach((f, m) => store.store(f, at, Math.sin(seed * (k + 1) + 2 * n + m))),
    ),
  );
  const whole: Module = { ...module, buffers: made.buffers, kernels: [made.kernel] };
  const ran = interpret(whole, [...coreDialects, fieldDialect(tree, store)], allocateBuffers(made.buffers), {
    kernel: made.kernel.name,
    args: made.unwanted.length > 0 ? [0] : [],
  });
  if (E.isLeft(ran)) throw new Error(ran.left[0].message);
  return names.flatMap((name) => placesOf(name).map((at) => Number(store.load(adjoints[name], at))));
};

const text = (form: Form): string => printKernel(adjoint(layer(form), 'f', { adjoints }).kernel);

describe('adjoints of products of matrices', () => {
  it('are what they are by adding to memory', () => {
    const form = fc.record({ byOutput: fc.boolean(), joined: fc.boolean(), inside: fc.boolean(), also: fc.boolean() });
    fc.assert(
      fc.property(form, fc.double({ min: 0.1, max: 3, noNaN: true }), (form, seed) => {
        const module = layer(form);
        const [here, there] = [found(module, true, seed), found(module, false, seed)];
        here.forEach((v, n) => expect(Math.abs(v - there[n])).toBeLessThan(1e-11 * Math.max(1, Math.abs(there[n]))));
      }),
      { numRuns: 60 },
    );
  });

  it('are such products: nothing is atomic, and a sum for each weight goes over what it is a sum of', () => {
    const plain = { byOutput: true, joined: false, inside: false, also: false };
    for (const byOutput of [true, false])
      for (const joined of [true, false]) {
        const adjoint = text({ ...plain, byOutput, joined });
        const weights = byOutput ? 'w_grad' : 'v_grad';
        expect(adjoint).not.toContain('field.atomic');
        expect(adjoint.match(new RegExp(`field.store .*${weights}`, 'g'))).toHaveLength(1);
      }
    /* Lanes go along the rows of weights, and where rows are columns, along what is summed up. */
    expect(text(plain)).toMatch(/\{simd = true\} \{\n.*\n *%\d+ = field.load %\S+, %\S+ \{field = w_grad\}/);
  });

  it('stay as they are where what is added costs more than to add it', () => {
    expect(text({ byOutput: true, joined: false, inside: true, also: false })).toContain('field.atomic');
  });
});
