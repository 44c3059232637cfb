import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  interpret,
  type Builder,
  type Buffer,
  type Kernel,
  type Module,
  type Value,
} from '@filigree/ir';
import { adjointField, withGradients, withTangents } from '@filigree/autodiff';
import { dense, field, fieldDialect, i, layout, layoutTree } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';

/** A statement adds one value to those in scope; operands are chosen among these. */
export type Statement =
  | { readonly is: 'compute'; readonly op: (typeof operations)[number]; readonly a: number; readonly b: number }
  | { readonly is: 'if'; readonly a: number; readonly b: number; readonly arms: readonly (readonly Statement[])[] }
  | {
      readonly is: 'for' | 'while';
      readonly trips: number;
      readonly a: number;
      readonly b: number;
      readonly body: readonly Statement[];
    }
  /** Overwrites an element of the cell, or reads what it is by now. */
  | { readonly is: 'put'; readonly of: number; readonly a: number; readonly b: number }
  | { readonly is: 'read'; readonly of: number; readonly a: number; readonly b: number };

const NAMES = ['x', 'y'] as const;
const operations = ['add', 'sub', 'mul', 'sin', 'gauss', 'min'] as const;

const codeOf = (...more: readonly fc.Arbitrary<Statement>[]): fc.Arbitrary<Statement[]> =>
  fc.letrec<{ statement: Statement; block: Statement[] }>((tie) => ({
    block: fc.array(tie('statement'), { minLength: 1, maxLength: 4, depthIdentifier: 'nest' }),
    statement: fc.oneof(
      { depthSize: 'small', depthIdentifier: 'nest', maxDepth: 3 },
      fc.record({
        is: fc.constant('compute' as const),
        op: fc.constantFrom(...operations),
        a: fc.nat(9),
        b: fc.nat(9),
      }),
      ...more,
      fc.record({
        is: fc.constant('if' as const),
        a: fc.nat(9),
        b: fc.nat(9),
        arms: fc.tuple(tie('block'), tie('block')),
      }),
      fc.record({
        is: fc.constantFrom('for' as const, 'while' as const),
        trips: fc.nat(5),
        a: fc.nat(9),
        b: fc.nat(9),
        body: tie('block'),
      }),
    ),
  })).block;

/** Random code of a kernel. */
export const block = codeOf();

/** Random code that overwrites in place what it reads, too. */
export const blockInPlace = codeOf(
  fc.record({ is: fc.constantFrom('put' as const, 'read' as const), of: fc.nat(1), a: fc.nat(9), b: fc.nat(9) }),
);

/** What is the same in all statements: an argument, and the cell. */
interface Around {
  readonly n: Value;
  readonly p: Value;
}

const run = (b: Builder, code: readonly Statement[], before: readonly Value[], around: Around): Value => {
  const values = [...before];
  const pick = (k: number): Value => values[values.length - 1 - (k % values.length)];
  for (const s of code) values.push(statement(b, s, pick, values, around));
  /* Bounded, so that nothing grows without end. */
  return b.math('sin', b.add(values[values.length - 1], b.mul(b.f64(0.5), pick(1))));
};

const statement = (
  b: Builder,
  s: Statement,
  pick: (k: number) => Value,
  values: readonly Value[],
  around: Around,
): Value => {
  const { n, p } = around;
  const [x, y] = [pick(s.a), pick(s.b)];
  if (s.is === 'put' || s.is === 'read') {
    const field = NAMES[s.of];
    if (s.is === 'read') return b.value('field.load', [p], { field });
    const value = b.math('sin', b.add(b.mul(x, y), b.mul(b.f64(0.8), x)));
    b.op('field.store', [value, p], { field });
    return value;
  }
  if (s.is === 'if')
    return b.if(
      b.cmp('gt', x, b.mul(y, b.f64(0.7))),
      () => run(b, s.arms[0], values, around),
      () => run(b, s.arms[1], values, around),
    )[0];
  if (s.is === 'for')
    return b.for(b.i32(0), s.trips % 2 === 0 ? b.i32(s.trips) : n, b.i32(1), {}, [x], (k, [c]) =>
      run(b, s.body, [...values, b.mul(b.cast(k, 'f64'), y), c], around),
    )[0];
  if (s.is !== 'compute')
    return b.while(
      [b.i32(0), x],
      ([k, c]) => {
        const goOn = b.and(b.cmp('lt', k, n), b.cmp('lt', c, b.f64(0.6)));
        return [goOn, k, c, b.mul(c, y)];
      },
      ([k, c, d]) => [b.add(k, b.i32(1)), b.add(run(b, s.body, [...values, d, c], around), b.mul(b.f64(0.3), c))],
    )[2];
  if (s.op === 'sin') return b.math('sin', b.mul(x, b.f64(1.3)));
  if (s.op === 'gauss') return b.math('exp', b.neg(b.mul(x, x)));
  return s.op === 'add' ? b.add(x, y) : s.op === 'sub' ? b.sub(x, y) : s.op === 'mul' ? b.mul(x, y) : b.min(x, y);
};

const x = field('x', 'f64');
const y = field('y', 'f64');
const loss = field('loss', 'f64');
const all = [x, y, loss];
const { layout: graded, adjoints } = withGradients(
  layout(dense(i, 2).pointer().place(x, y), dense(i, 1).place(loss)),
  all,
);
const { layout: along, tangents } = withTangents(graded, all);
/* Of adjoints, too: how they change along a direction is a product with second derivatives. */
const { layout: tree, tangents: tangentsOfAdjoints } = withTangents(along, all.map(adjointField));
export { adjoints, tangents, tangentsOfAdjoints };

/** The elements that random code reads: two of each field. */
export const places = [x, y].flatMap(({ name }) => [0, 1].map((p) => [name, p] as const));

export const newStore = (): FieldStore => new FieldStore(tree);

/** A module whose one kernel, `f`, adds to `loss` what code makes of the elements of each cell. */
export const moduleOf = (code: readonly Statement[]): Module => ({
  name: 'm',
  layout: layoutTree(tree),
  buffers: [],
  kernels: [kernelOf(code)],
  attrs: {},
});

const kernelOf = (code: readonly Statement[]): Kernel =>
  buildKernel(
    'f',
    { n: 'i32' },
    (b, { n }) => {
      const { region } = b.region([{ type: 'i32' }], ([p]) => {
        const values = [x, y].map(({ name }) => b.value('field.load', [p], { field: name }));
        const result = run(b, code, values, { n, p });
        const weighted = b.mul(result, b.cast(b.add(p, b.i32(1)), 'f64'));
        b.value('field.atomic', [weighted, b.i32(0)], { field: 'loss', kind: 'add' });
      });
      b.op('field.for', [], { node: 'up.x' }, [region]);
    },
    [],
    { dialects: [...coreDialects, fieldDialect(tree)] },
  );

/** Runs a kernel on fields. */
export const launch = (
  kernel: Kernel,
  buffers: readonly Buffer[],
  store: FieldStore,
  ...args: readonly number[]
): void => {
  const module: Module = { name: 'm', buffers, kernels: [kernel], attrs: {} };
  const ran = interpret(module, [...coreDialects, fieldDialect(tree, store)], allocateBuffers(buffers), {
    kernel: kernel.name,
    args,
  });
  if (E.isLeft(ran)) throw new Error(ran.left[0].message);
};
