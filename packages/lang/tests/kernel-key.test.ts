import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  array,
  inlined,
  kernel,
  kernelKey,
  mat,
  vec,
  withGradient,
  type Grid1,
  type KernelDef,
  type KernelKey,
} from '@filigree/lang/kernels';
import { dense, field, i, layout, type Layout } from '@filigree/sparse/fields';

interface Given {
  readonly factor?: unknown;
  readonly helper?: (x: number) => number;
  readonly inner?: (x: number) => number;
  readonly args?: KernelDef['args'];
  readonly options?: object;
  readonly text?: boolean;
  readonly foreign?: boolean;
}

/* Each call stands for a process: all values are new, and equal. */
const made = ({
  factor = 3,
  helper,
  inner = (x: number): number => x + 1,
  args = [],
  options,
  text,
  foreign,
}: Given = {}): readonly [KernelDef, Layout] => {
  const [x, y] = (['x', 'y'] as const).map((name) => field(name, 'f64'));
  const used = { factor, helper: helper ?? inlined((v: number): number => inner(v) * v, { inner }) };
  const fields = [foreign ? field('x', 'f64') : x, y, ...args] as KernelDef['args'];
  const step = text
    ? kernel(fields, { scope: used, ...options }, (x: Grid1, y: Grid1) => {
        y[0] = used.helper(x[0]) * Number(used.factor) - 1;
      })
    : kernel(fields, { scope: used, ...options }, (x: Grid1, y: Grid1) => {
        y[0] = used.helper(x[0]) * Number(used.factor) + 1;
      });
  return [step as unknown as KernelDef, layout(dense(i, 8).place(x, y))];
};

const keyOf = (given?: Given): string | undefined => kernelKey(...made(given))?.text;

it('kernels that are made alike have one key', () => {
  expect(keyOf()).toBeTypeOf('string');
  expect(keyOf()).toBe(keyOf());
  for (const factor of [
    0,
    -0,
    NaN,
    1n,
    true,
    undefined,
    [1, 2],
    new Float32Array([1, 2]),
    vec(1, 2),
    { a: { b: [1] } },
  ]) {
    expect(keyOf({ factor })).toBeTypeOf('string');
    expect(keyOf({ factor })).toBe(keyOf({ factor }));
  }
});

it.each<readonly [string, Given]>([
  ['its text', { text: true }],
  ['a number in scope', { factor: 4 }],
  ['the sign of zero', { factor: -0 }],
  ['the kind of a number', { factor: 3n }],
  ['a table', { factor: [3] }],
  ['the type of a table', { factor: new Float32Array([3]) }],
  ['a vector', { factor: vec(3, 3) }],
  ['a matrix', { factor: mat([3, 3], [3, 3]) }],
  ['an object', { factor: { of: 3 } }],
  ['a function that it calls', { helper: inlined((v: number): number => v * v) }],
  ['a function that this calls', { inner: (v: number): number => v + 2 }],
  [
    'a derivative of one',
    {
      inner: withGradient(
        (x: number): number => x + 1,
        (_x: number, _y: number, s: number) => s,
      ),
    },
  ],
  ['what else it takes', { args: ['f64'] }],
  ['the room of an array', { args: [array('f64', 8)] }],
  ['its name', { options: { name: 'other' } }],
  ['the type of its numbers', { options: { float: 'f64' } }],
  ['a hint', { options: { block: 8 } }],
  ['where it says that it stands', { options: { at: { file: 'a.ts', line: 2, column: 1 } } }],
])('another for %s', (_, given) => {
  const keys = [keyOf({ args: [array('f64', 4)] }), keyOf({ factor: 0 }), keyOf()];
  expect(keyOf(given)).toBeTypeOf('string');
  expect(keys).not.toContain(keyOf(given));
  expect(new Set(keys).size).toBe(3);
});

it('tells names that its functions say, whoever holds them, and no others', () => {
  const keyWith = (scope: object): string => {
    const x = field('x', 'f64');
    const [given] = [scope as { helper: (v: number) => number }];
    const step = kernel([x], { scope: { ...given } }, (x: Grid1) => {
      x[0] = given.helper(x[0]);
    });
    return kernelKey(step as unknown as KernelDef, layout(dense(i, 8).place(x)))!.text;
  };
  const far = 1;
  const helper = (v: number): number => v * far;
  const key = keyWith({ helper, far });
  expect(keyWith({ helper, far, particles: [[1, 2, 3]], more: Math })).toBe(key);
  expect(keyWith({ helper, far: 2 })).not.toBe(key);
  const deep = { of: [(v: number): number => v + far] };
  const calls = (v: number): number => deep.of[0]!(v);
  expect(keyWith({ helper: calls, deep, far })).not.toBe(keyWith({ helper: calls, deep, far: 2 }));
});

class Counter {
  value = 3;
}

it.each<readonly [string, Given]>([
  ['an instance of a class', { factor: new Counter() }],
  ['what hides its parts', { factor: Math }],
  [
    'an object that holds itself',
    {
      factor: (() => {
        const o: Record<string, unknown> = {};
        o.self = o;
        return o;
      })(),
    },
  ],
  ['a function without text', { helper: Math.sqrt }],
  ['a function with parts of its own', { helper: Object.assign((v: number) => v, { more: 1 }) }],
  ['a field that is not of the layout', { foreign: true }],
])('none with %s', (_, given) => {
  expect(keyOf(given)).toBeUndefined();
});

it('is sure where numerals are found as they were written, not where a text was made', () => {
  expect(kernelKey(...made())!.isSure()).toBe(true);
  const helper = new Function('v', 'return v * 7') as (v: number) => number;
  expect(kernelKey(...made({ helper }))!.isSure()).toBe(false);
});

it('is sure of what a tool printed, too, where it finds it: what is read of it follows from that file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-key-'));
  try {
    const file = join(folder, 'step.cjs');
    writeFileSync(file, 'exports.step = (x) => {\n  x[0] = x[0] * 7;\n};\n//# sourceMappingURL=step.cjs.map\n');
    const { step } = createRequire(import.meta.url)(file) as { step: (x: Grid1) => void };
    const x = field('x', 'f64');
    const keyAt = (at: string): KernelKey =>
      kernelKey(
        kernel([x], { at: { file: at, line: 1, column: 16 } }, step) as unknown as KernelDef,
        layout(dense(i, 8).place(x)),
      )!;
    expect(keyAt(file).isSure()).toBe(true);
    expect(keyAt(file).text).not.toBe(keyAt(join(folder, 'none.cjs')).text);
    expect(keyAt(join(folder, 'none.cjs')).isSure()).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('values that differ have keys that differ', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.double(),
      fc.integer(),
      fc.bigInt(),
      fc.boolean(),
      fc.string(),
      fc.array(fc.double(), { maxLength: 3 }),
      fc.array(tie('any'), { maxLength: 3 }),
      /* Kernels read what objects hold, whatever their prototype is. */
      fc.dictionary(fc.string(), tie('any'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  fc.assert(
    fc.property(value, value, (a, b) => {
      const same = fc.stringify(a) === fc.stringify(b);
      expect(keyOf({ factor: a }) === keyOf({ factor: b })).toBe(same);
    }),
    { numRuns: 300 },
  );
});

it('names the file that it stands in, whose text it has', () => {
  const { contents, files } = kernelKey(...made())!;
  expect(files).toEqual(['packages/lang/tests/kernel-key.test.ts']);
  expect([...contents.values()].join()).toContain('names the file that it stands in');
});
