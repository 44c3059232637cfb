import { adjoint, derivatives, tangent, withGradients, withTangents } from '@filigree/autodiff';
import { derivative, DiagnosticError, parseModule, type Module } from '@filigree/ir';
import { dense, field, fieldDialects, i, layout, layoutTree } from '@filigree/sparse/fields';
import { linalg } from '@filigree/tensor/linalg';
import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';

const x = field('x', 'f64');
const graded = withGradients(layout(dense(i, 8).place(x)), [x]);
const { layout: tree, tangents } = withTangents(graded.layout, [x]);

it('every op of every dialect has a row in the table of derivatives', () => {
  const ops = [...fieldDialects(tree), derivative, linalg].flatMap((d) => Object.keys(d.ops));
  expect(ops.length).toBeGreaterThan(100);
  expect(ops.filter((name) => !Object.hasOwn(derivatives, name))).toEqual([]);
  expect(Object.keys(derivatives).filter((name) => !ops.includes(name))).toEqual([]);
});

const moduleOf = (body: string): Module => {
  const text = `module @m {\n  buffer @b : f64[8] inout\n  kernel @f() {\n%q = arith.constant {value = 0} : i32\n${body}\n    scf.yield\n  }\n}\n`;
  const parsed = parseModule(text);
  if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
  return { ...parsed.right, layout: layoutTree(tree) };
};

const codeOf = (derive: () => unknown): string => {
  try {
    derive();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return '';
};

it.each([
  [
    'mem.cas',
    `%v = field.load %q {field = x} : f64
     %w = mem.cas %v, %v, %q {buffer = @b} : f64`,
  ],
  [
    'mem.gather',
    `%l = arith.splat %q {lanes = 4} : vec<4 x i32>
     %v = mem.gather %l {buffer = @b} : vec<4 x f64>
     %w = arith.extract %v {lane = 0} : f64
     field.store %w, %q {field = x}`,
  ],
])('an op that touches what has derivatives and has no rule is refused, not taken for zero: %s', (_name, body) => {
  const module = moduleOf(body);
  expect(codeOf(() => adjoint(module, 'f', { adjoints: graded.adjoints }))).toBe('adjoint/no-rule');
  expect(codeOf(() => tangent(module, 'f', { tangents }))).toBe('tangent/no-rule');
});
