import { wasm } from '@filigree/backend-wasm';
import { kernel, range } from '@filigree/lang/kernels';
import { program, steps, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, layout, type Branch } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';

/** A statement gives one value, made of those before it. */
type Statement =
  | { readonly is: 'sum' | 'product' | 'sine'; readonly a: number; readonly b: number }
  | { readonly is: 'put' | 'add' | 'read'; readonly of: 'x' | 'y'; readonly a: number; readonly b: number }
  | { readonly is: 'if'; readonly a: number; readonly b: number; readonly arms: readonly (readonly Statement[])[] }
  | { readonly is: 'for' | 'while'; readonly a: number; readonly b: number; readonly body: readonly Statement[] };

const { block } = fc.letrec<{ statement: Statement; block: Statement[] }>((tie) => {
  const operands = { a: fc.nat(9), b: fc.nat(9) };
  return {
    block: fc.array(tie('statement'), { minLength: 1, maxLength: 4, depthIdentifier: 'nest' }),
    statement: fc.oneof(
      { depthSize: 'small', depthIdentifier: 'nest', maxDepth: 2 },
      fc.record({ is: fc.constantFrom('sum' as const, 'product' as const, 'sine' as const), ...operands }),
      fc.record({
        is: fc.constantFrom('put' as const, 'add' as const, 'read' as const),
        of: fc.constantFrom('x' as const, 'y' as const),
        ...operands,
      }),
      fc.record({ is: fc.constant('if' as const), ...operands, arms: fc.tuple(tie('block'), tie('block')) }),
      fc.record({ is: fc.constantFrom('for' as const, 'while' as const), ...operands, body: tie('block') }),
    ),
  };
});

/** The text of a kernel of `x`, `y`, `loss` and a number of iterations. */
const textOf = (code: readonly Statement[]): string => {
  let names = 0;
  const lines = (list: readonly Statement[], before: readonly string[]): readonly [string, string] => {
    const known = [...before];
    const pick = (k: number): string => known[known.length - 1 - (k % known.length)];
    const text = list.map((s) => {
      const v = `v${names++}`;
      const [a, b] = [pick(s.a), pick(s.b)];
      const within = (more: readonly string[], body: readonly Statement[]): readonly [string, string] =>
        lines(body, [...known, ...more]);
      const made = ((): string => {
        if (s.is === 'for' || s.is === 'while') {
          const [body, next] = within([v], s.body);
          return s.is === 'for'
            ? `let ${v} = ${a}; for (const k${v} of range(n)) { ${body} ${v} = ${next} + 0.1 * k${v}; }`
            : `let ${v} = ${a}; let k${v} = 0; while (k${v} < n && ${v} < 0.6) { ${body} ${v} = ${next} + 0.3 * ${v}; k${v} += 1; }`;
        }
        if (s.is === 'if') {
          const [[then, yes], [other, no]] = s.arms.map((arm) => within([], arm));
          return `let ${v} = 0.0; if (${a} > 0.7 * ${b}) { ${then} ${v} = ${yes}; } else { ${other} ${v} = ${no}; }`;
        }
        if (s.is === 'put' || s.is === 'add' || s.is === 'read') {
          const place = `${s.of}[p]`;
          if (s.is === 'put') return `${place} = Math.sin(${a} * ${b} + 0.8 * ${a}); const ${v} = ${place};`;
          if (s.is === 'add') return `${place} += Math.cos(${a}) * ${b}; const ${v} = Math.sin(${place});`;
          return `const ${v} = ${place};`;
        }
        if (s.is === 'sine') return `const ${v} = Math.sin(1.3 * ${a});`;
        return `const ${v} = ${a} ${s.is === 'sum' ? '+' : '*'} ${b};`;
      })();
      known.push(v);
      return made;
    });
    return [text.join('\n'), `Math.sin(${pick(0)} + 0.5 * ${pick(1)})`];
  };
  const [body, result] = lines(code, ['x0', 'y0']);
  return `(x, y, loss, n) => { for (const p of range(${COUNT})) { const x0 = x[p]; const y0 = y[p];\n${body}\nloss[0] += ${result} * (p + 1); } }`;
};

const COUNT = 3;
const { x, y, loss } = fields('f64', i, ['x', 'y', 'loss']);
const sum = kernel([x, y, loss], (x, y, loss) => {
  for (const p of range(3)) loss[0] += 0.7 * x[p] - 1.3 * y[p] * x[p];
});
const empty = kernel([loss], (loss) => {
  loss[0] = 0.0;
});

const LAYOUTS: Readonly<Record<string, readonly Branch[]>> = {
  'side by side': [dense(i, COUNT).place(x, y)],
  apart: [dense(i, COUNT).place(x), dense(i, COUNT).place(y)],
};

it('random kernels, launched several times, that overwrite what they read have the gradients that differences tell', async () => {
  const number = fc.integer({ min: -900, max: 900 }).map((k) => k / 700);
  let [tried, smooth] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      block,
      fc.array(number, { minLength: 2 * COUNT, maxLength: 2 * COUNT }),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(...Object.keys(LAYOUTS)),
      fc.constantFrom('launches', 'steps'),
      async (code, at, n, where, how) => {
        /* Its text is what a kernel is made of. */
        const body = new Function('range', `return ${textOf(code)}`)(range) as (...args: unknown[]) => void;
        const run = kernel([x, y, loss, 'i32'], { float: 'f64' }, body);
        const made = await program({
          layout: layout(...LAYOUTS[where], dense(i, 1).place(loss)),
          kernels: { run, sum, empty },
          backend: wasm(),
          differentiate: true,
        })();
        if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
        const sim = made.right;
        tried++;
        const begin = (values: readonly number[]): void => {
          sim.field(x).fromArray(values.slice(0, COUNT));
          sim.field(y).fromArray(values.slice(COUNT));
        };
        const forward = (): void => {
          sim.run.empty();
          if (how === 'steps') steps(sim, 3, () => void sim.run.run(n), { state: [x, y] });
          else for (let k = 0; k < 2; k++) sim.run.run(n);
          sim.run.sum();
        };
        const value = (values: readonly number[]): number => {
          begin(values);
          forward();
          return sim.field(loss).get(0);
        };
        begin(at);
        const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { x, y } });
        const found = [...gradient.x.toArray(), ...gradient.y.toArray()];
        at.forEach((_, k) => {
          const along = (t: number): number => value(at.map((v, m) => (m === k ? v + t : v)));
          const [wide, near] = [1e-4, 2e-5].map(
            (h) => (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h),
          );
          /* Where a branch is taken on one side only, differences tell nothing. */
          if (!(Math.abs(wide - near) < 1e-7 * Math.max(1, Math.abs(near)))) return;
          smooth++;
          expect(Math.abs(Number(found[k]) - near)).toBeLessThan(1e-6 * Math.max(1, Math.abs(near)));
        });
        sim.dispose();
      },
    ),
    { numRuns: 2 },
  );
  expect(smooth).toBeGreaterThan(2 * tried);
});
