import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import { defineElementwise, dialect, formatDiagnostic, isFloat, type Extension } from '@filigree/ir';
import { active, kernel, type Grid1, type Word } from '@filigree/lang/kernels';
import { program, valueAndGradient, type Kernels } from '@filigree/runtime';
import { dense, field, fields, i, layout } from '@filigree/sparse/fields';

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

  describe('is differentiated', () => {
    const { loss } = fields('f64', i, ['loss']);
    const total = kernel([x, loss], { scope: { sinc, active } }, (u: Grid1, l: Grid1) => {
      for (const n of active(u)) l[0] += 3 * sinc(u[n]) * sinc(u[n] + 1);
    });
    const at = (n: number): number => n / 3 - 2;
    const gradientBy = async (by: Extension): Promise<readonly number[]> => {
      const result = await program({
        layout: layout(dense(i, 16).place(x), dense(i, 1).place(loss)),
        kernels: { total },
        differentiate: true,
        backend: wasm({ extensions: [by] }),
        extensions: [by],
      })();
      if (E.isLeft(result)) throw new Error(result.left.map((d) => formatDiagnostic(d)).join('\n'));
      const sim = result.right;
      try {
        for (let n = 0; n < 16; n++) sim.fields.x.set([n], at(n));
        const { gradient } = valueAndGradient(sim, () => sim.run.total(), { loss, wrt: { x } });
        return Array.from({ length: 16 }, (_, n) => gradient.x.get([n]));
      } finally {
        sim.dispose();
      }
    };

    test('by the partial derivatives that it brings', async () => {
      const f = (v: number): number => 3 * sinc(v) * sinc(v + 1);
      (await gradientBy(signal)).forEach((g, n) =>
        expect(g).toBeCloseTo((f(at(n) + 1e-6) - f(at(n) - 1e-6)) / 2e-6, 7),
      );
    });

    test('not, and refused, where it brings none', async () => {
      const bare: Extension = { ...signal, intrinsics: { sinc: { fn: sinc, op: word.op } } };
      await expect(gradientBy(bare)).rejects.toThrow('signal.sinc');
    });
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
});
