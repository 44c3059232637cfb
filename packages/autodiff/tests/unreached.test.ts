import { adjoint, derivatives, gradientOf, hessianOf, tangent, withGradients, withTangents } from '@filigree/autodiff';
import {
  allocateBuffers,
  coreDialects,
  DiagnosticError,
  evaluateGraph,
  Graph,
  interpret,
  parseModule,
  scalarOps,
  Sym,
  symbolicMath,
  type Buffer,
  type Kernel,
  type Module,
  type Num,
} from '@filigree/ir';
import { dense, field, fieldDialect, i, layout, layoutTree } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

const all = ['x', 'y', 'loss', 'other'].map((name) => field(name, 'f64'));
const graded = withGradients(layout(dense(i, 1).place(...all)), all);
const { layout: tree, tangents } = withTangents(graded.layout, all);

/** All ops that have a rule, but a choice by a condition, which has arms itself. */
const ruled = scalarOps.filter(
  ({ kernelOp, arity }) => derivatives[kernelOp].is === 'rule' && arity > 0 && kernelOp !== 'arith.select',
);

/** `const r = op(x, y) * y`, so that what is no number is handed on, and what is done with it. */
const moduleOf = ({ kernelOp, arity }: (typeof ruled)[number], then: string): Module => {
  const parsed = parseModule(`module @m {
  kernel @f() {
    %q = arith.constant {value = 0} : i32
    %five = arith.constant {value = 5} : f64
    %x = field.load %q {field = x} : f64
    %y = field.load %q {field = y} : f64
    %a = ${kernelOp} ${arity === 2 ? '%x, %y' : '%x'} : f64
    %r = arith.mul %a, %y : f64
    ${then}
    scf.yield
  }
}`);
  if (E.isLeft(parsed)) throw new DiagnosticError(parsed.left);
  return { ...parsed.right, layout: layoutTree(tree) };
};

/** `if (x > 5) loss += r`. */
const ifLarge = `%c = arith.cmp %x, %five {predicate = gt} : i1
    scf.if %c {
      %w = field.atomic %r, %q {field = loss, kind = add} : f64
      scf.yield
    } {
      scf.yield
    }`;

/** `other += r; loss += x * y`. */
const besides = `%w = field.atomic %r, %q {field = other, kind = add} : f64
    %s = arith.mul %x, %y : f64
    %v = field.atomic %s, %q {field = loss, kind = add} : f64`;

const ran = (
  kernel: Kernel,
  buffers: readonly Buffer[],
  given: Readonly<Record<string, number>>,
  asked: readonly string[],
  args: readonly number[] = [],
): readonly number[] => {
  const store = new FieldStore(tree);
  for (const [name, v] of Object.entries(given)) store.store(name, [0], v);
  const dialects = [...coreDialects, fieldDialect(tree, store)];
  const done = interpret({ name: 'm', buffers, kernels: [kernel], attrs: {} }, dialects, allocateBuffers(buffers), {
    kernel: kernel.name,
    args,
  });
  if (E.isLeft(done)) throw new DiagnosticError(done.left);
  return asked.map((name) => Number(store.load(name, [0])));
};

/** Where one op or another has a pole, an end of its domain, or is no number. */
const points = [-2, -1, 0, 1].flatMap((x) => [-1, 0, 0.5].map((y) => [x, y] as const));

describe.each(ruled.map((op) => [op.name, op] as const))('%s before a branch that is not taken', (name, op) => {
  const module = moduleOf(op, ifLarge);

  it('gives nothing to a gradient', () => {
    const { kernel, buffers } = adjoint(module, 'f', { adjoints: graded.adjoints });
    for (const [x, y] of points)
      expect(ran(kernel, buffers, { x, y, loss_grad: 1 }, ['x_grad', 'y_grad']), `${x}, ${y}`).toEqual([0, 0]);
  });

  it('gives nothing to a tangent', () => {
    const { kernel, buffers } = tangent(module, 'f', { tangents });
    for (const [x, y] of points)
      expect(ran(kernel, buffers, { x, y, [tangents.x]: 1, [tangents.y]: 1 }, [tangents.loss]), `${x}, ${y}`).toEqual([0]); // prettier-ignore
  });

  it('gives nothing to the derivatives of a graph, first and second', () => {
    const graph = new Graph({ arithmetic: 'exact' });
    const first = graph.variables(2);
    const [a, b] = [new Sym(graph, first), new Sym(graph, first + 1)];
    const m = symbolicMath as unknown as Readonly<Record<string, (...xs: readonly Num[]) => Num>>;
    const r = m.mul(m[name](...[a, b].slice(0, op.arity)), b);
    const root = m.add(m.select(m.gt(a, 5), r, 0), m.mul(m.mul(a, a), m.mul(b, b))) as Sym;
    const ids = Int32Array.of(a.id, b.id);
    const nodes = [...gradientOf(graph, root.id, ids), ...hessianOf(graph, root.id, ids).values];
    for (const [x, y] of points) {
      const expected = [2 * x * y * y, 2 * x * x * y, 2 * y * y, 4 * x * y, 4 * x * y, 2 * x * x];
      evaluateGraph(graph, nodes, [x, y]).forEach((v, n) => expect(v, `${n} at ${x}, ${y}`).toBeCloseTo(expected[n]));
    }
  });
});

const steep = ruled.filter(({ kernelOp }) => {
  const row = derivatives[kernelOp];
  return row.is === 'rule' && row.tame !== true;
});

describe.each(steep.map((op) => [op.name, op] as const))('%s beside what the loss follows from', (_, op) => {
  const { kernel, buffers, unwanted } = adjoint(moduleOf(op, besides), 'f', { adjoints: graded.adjoints });
  const bitOf = (field: string): number => 1 << unwanted.findIndex((group) => group.includes(field));

  it('gives nothing to a gradient', () => {
    expect(unwanted.flat().sort()).toEqual(['loss', 'other']);
    for (const [x, y] of points)
      expect(
        ran(kernel, buffers, { x, y, loss_grad: 1 }, ['x_grad', 'y_grad'], [bitOf('other')]),
        `${x}, ${y}`,
      ).toEqual([y, x]);
  });

  it('gives what it is where the loss follows from it, too', () => {
    const alone = adjoint(moduleOf(op, besides.split('\n')[0]), 'f', { adjoints: graded.adjoints });
    expect(alone.unwanted).toEqual([]);
    for (const [x, y] of points) {
      const expected = ran(alone.kernel, alone.buffers, { x, y, other_grad: 1 }, ['x_grad', 'y_grad']);
      const both = ran(kernel, buffers, { x, y, loss_grad: 1, other_grad: 1 }, ['x_grad', 'y_grad'], [0]);
      [y, x].forEach((own, n) => {
        if (Number.isFinite(expected[n])) expect(both[n], `${x}, ${y}`).toBeCloseTo(expected[n] + own, 12);
        else expect(both[n], `${x}, ${y}`).toBe(expected[n]);
      });
    }
  });
});
