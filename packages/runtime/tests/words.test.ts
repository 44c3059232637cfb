import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import { defineElementwise, DiagnosticError, dialect, formatDiagnostic, isFloat, type Extension } from '@filigree/ir';
import { active, kernel, type Grid1, type Word } from '@filigree/lang/kernels';
import { program, valueAndGradient, valueAndTangent, type Kernels } from '@filigree/runtime';
import { dense, field, i, layout } from '@filigree/sparse/fields';

/* sin(x) / x: an op, its spelling, and the word by which kernels say it. */
const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(x) / x);

const ops = dialect('signal', [
  defineElementwise(
    {
      name: 'signal.sinc',
      summary: 'sin(x) / x',
      verify: (op) => (op.operands.length === 1 && isFloat(op.operands[0].type) ? [] : ['takes one float']),
      resultTypes: ([x]) => [x.type],
    },
    () => (x) => sinc(x as number),
  ),
]);

const word: Word = {
  fn: sinc,
  op: 'signal.sinc',
  derivative: { partials: [(x) => (x === 0 ? 0 : (Math.cos(x) - Math.sin(x) / x) / x)] },
};

const signal: Extension = {
  name: 'signal',
  from: './signal.js',
  dialects: [ops],
  intrinsics: { sinc: word },
  spellings: {
    'signal.sinc': {
      core: (b, { operands: [x] }) => {
        const zero = b.constant(0, x.type as 'f64');
        const one = b.constant(1, x.type as 'f64');
        return b.select(b.cmp('eq', x, zero), one, b.div(b.math('sin', x), x));
      },
    },
  },
};

const x = field('x', 'f64');
const y = field('y', 'f64');
const shape = layout(dense(i, 32).dense(i, 8).place(x, y));

const kernels = {
  all: kernel([x, y], { scope: { sinc, active } }, (u: Grid1, v: Grid1) => {
    for (const n of active(u)) v[n] = sinc(u[n]) + sinc(u[n]) * sinc(0);
  }),
};

const made = async (extensions: readonly Extension[], of: Kernels = kernels, known = extensions) =>
  program({ layout: shape, kernels: of, backend: wasm({ extensions: known }), extensions })();

const saidOf = async (...of: Parameters<typeof made>): Promise<string> => {
  const result = await made(...of);
  return E.isLeft(result) ? result.left.map((d) => formatDiagnostic(d)).join('\n') : 'nothing';
};

describe('a word that an extension brings', () => {
  test('is said in kernels, and does what it does on the host', async () => {
    const result = await made([signal]);
    if (E.isLeft(result)) throw new Error(await saidOf([signal]));
    const sim = result.right;
    try {
      const values = Array.from({ length: 256 }, (_, n) => n / 16 - 3);
      values.forEach((value, n) => sim.fields.x.set([n], value));
      sim.run.all();
      values.forEach((value, n) => expect(sim.fields.y.get([n])).toBeCloseTo(2 * sinc(value), 12));
    } finally {
      sim.dispose();
    }
  });

  test('is any other function to who does not bring it', async () => {
    expect(await saidOf([])).toBe('nothing');
  });

  test('takes as many numbers as its function', async () => {
    const wrong = kernel([x, y], { scope: { sinc, active } }, (u: Grid1, v: Grid1) => {
      for (const n of active(u)) v[n] = (sinc as (...args: number[]) => number)(u[n], 1);
    });
    expect(await saidOf([signal], { wrong })).toContain('error[lang/arguments]: this function takes 1 argument, not 2');
  });

  test('must become an op that somebody brings', async () => {
    expect(await saidOf([{ name: 'lost', intrinsics: { sinc: word } }])).toContain(
      "error[extension/word]: the word 'sinc' of extension 'lost' becomes 'signal.sinc', which no dialect has",
    );
  });

  test('has a partial derivative for each parameter, or none', async () => {
    const wrong: Extension = { ...signal, intrinsics: { sinc: { ...word, derivative: { partials: [] } } } };
    expect(await saidOf([wrong])).toContain(
      "error[extension/derivative]: the word 'sinc' of extension 'signal' (./signal.js) has 1 parameters and 0 partial derivatives",
    );
  });

  test('is refused by a backend that was not handed the extension', async () => {
    expect(await saidOf([signal], kernels, [])).toContain('signal.sinc');
  });

  test('has the derivative that the extension brings, in both modes, and is refused where it brings none', async () => {
    const by: Extension = {
      ...signal,
      derivatives: {
        'signal.sinc': {
          is: 'rule',
          times: (s, seed, r, a) => [s.select(s.eq(a, 0), 0, s.div(s.mul(seed, s.sub(s.cos(a), r)), a))],
        },
      },
    };
    const total = kernel([x, y], { scope: { sinc } }, (u: Grid1, v: Grid1) => {
      v[0] = sinc(u[3]) * sinc(u[5]) + sinc(u[0]);
    });
    const simOf = async (extensions: readonly Extension[]) => {
      const backend = wasm({ extensions });
      const both = { differentiate: true, tangents: true } as const;
      const result = await program({ layout: shape, kernels: { total }, backend, extensions, ...both })();
      if (E.isLeft(result)) throw new DiagnosticError(result.left);
      result.right.field(x).set([3], 1.2);
      result.right.field(x).set([5], -0.7);
      return result.right;
    };
    const slope = (t: number): number => (Math.cos(t) - Math.sin(t) / t) / t;
    const [first, second] = [slope(1.2) * sinc(-0.7), slope(-0.7) * sinc(1.2)];
    const sim = await simOf([by]);
    const { gradient } = valueAndGradient(sim, () => sim.run.total(), { loss: y, wrt: { x } });
    [first, second, 0].forEach((g, n) => expect(gradient.x.get([[3, 5, 0][n]])).toBeCloseTo(g, 12));
    const along = (t: (f: typeof x) => { set: (at: readonly number[], v: number) => void }): void => t(x).set([3], 2);
    expect(valueAndTangent(sim, () => sim.run.total(), { of: { y }, along }).tangent.y.get([0])).toBeCloseTo(
      2 * first,
      12,
    );
    sim.dispose();

    const without = await simOf([signal]);
    const codes = [
      () => valueAndGradient(without, () => without.run.total(), { loss: y, wrt: { x } }),
      () => valueAndTangent(without, () => without.run.total(), { of: { y } }),
    ].map((act) => {
      try {
        act();
      } catch (e) {
        if (e instanceof DiagnosticError) return e.diagnostics[0].code;
      }
      return '';
    });
    expect(codes).toEqual(['adjoint/no-rule', 'tangent/no-rule']);
    without.dispose();
  });
});
