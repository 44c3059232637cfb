import {
  type Buffers,
  type Machine,
  type Op,
  type OpDef,
  type Value,
  defineGeneral,
  dialect,
  elementIndex,
  elementReader,
  elementWriter,
  firstProblem,
  hasRegions,
  isIndex,
  operandIs,
} from '@filigree/ir';
import type { GemmSpec, MatrixView } from './gemm-spec.js';
import { gemmAttrsProblem, gemmSpecOf, viewExtent } from './gemm-attrs.js';

/** The buffers (bare names) that a `linalg.gemm` works on. */
export const gemmBuffers = (op: Op): { readonly a: string; readonly b: string; readonly c: string } => ({
  a: bare(op, 'a'),
  b: bare(op, 'b'),
  c: bare(op, 'c'),
});

/** The operands of a `linalg.gemm`, by role. */
export const gemmOperands = (op: Op): GemmOperands => {
  const [aAt, bAt, cAt, ...more] = op.operands;
  const alpha = op.attrs.alpha === 'value' ? more.shift() : undefined;
  const prefetchAt = op.attrs.prefetch === undefined ? undefined : more.shift();
  return { aAt, bAt, cAt, ...(alpha ? { alpha } : {}), ...(prefetchAt ? { prefetchAt } : {}) };
};

/** The operands of a `linalg.gemm`: where each matrix begins, and the factor alpha if it is a value. */
export interface GemmOperands {
  readonly aAt: Value;
  readonly bAt: Value;
  readonly cAt: Value;
  readonly alpha?: Value;
  readonly prefetchAt?: Value;
}

const gemm: OpDef = defineGeneral(
  {
    name: 'linalg.gemm',
    summary:
      'C = alpha·A·B + beta·C for a matrix C (m × n) that begins at an index of buffer `c`, A (m × k) at one of `a`, B (k × n) ' +
      'at one of `b`; operands are these indices, alpha where it is "value", and with `prefetch` the index of that buffer ' +
      'from where on as much as C is will be wanted soon. `aStrides`, `bStrides`, `cStrides` are [row stride, column stride]; ' +
      'of a sparse A `aRows`, `aColumns`, `aPositions` list the entries by column, B likewise. Rows from m up to `mPadded` of ' +
      'C are undefined afterwards, and those of A may be read',
    verify: (op, buffers) =>
      firstProblem(
        hasRegions(op, 0) ??
          gemmAttrsProblem(op.attrs) ??
          bufferProblem(op, 'a', buffers) ??
          bufferProblem(op, 'b', buffers) ??
          bufferProblem(op, 'c', buffers) ??
          (op.attrs.prefetch === undefined ? undefined : named(op, 'prefetch', buffers)) ??
          (buffers.get(bare(op, 'c'))?.role === 'const' ? 'C is const and cannot be written' : undefined) ??
          (op.attrs.c === op.attrs.a || op.attrs.c === op.attrs.b ? 'C must not be the buffer of A or B' : undefined) ??
          extentProblem(op, buffers) ??
          operandsProblem(op),
      ),
    resultTypes: () => [],
    effects: (op) => [
      { kind: 'read', buffer: bare(op, 'a') },
      { kind: 'read', buffer: bare(op, 'b') },
      ...(op.attrs.beta === 0 ? [] : [{ kind: 'read', buffer: bare(op, 'c') } as const]),
      { kind: 'write', buffer: bare(op, 'c') },
    ],
    accesses: (op) => {
      const [places, { aAt, bAt, cAt }] = [gemmBuffers(op), gemmOperands(op)];
      const { m, mPadded = m, n, k, a, b, c, beta } = gemmSpecOf(op);
      const count = viewExtent({ kind: 'dense', ...c }, mPadded, n);
      return [
        { kind: 'read', place: places.a, index: [aAt], count: viewExtent(a, mPadded, k) },
        { kind: 'read', place: places.b, index: [bAt], count: viewExtent(b, k, n) },
        ...(beta === 0 ? [] : [{ kind: 'read', place: places.c, index: [cAt], count } as const]),
        { kind: 'write', place: places.c, index: [cAt], count },
      ];
    },
    traits: { mayTrap: true },
  },
  (op, args, machine) => {
    const spec = gemmSpecOf(op);
    const alpha = spec.alpha === 'value' ? (args[3] as number) : spec.alpha;
    multiply(op, spec, alpha, args.slice(0, 3) as readonly (number | bigint)[], machine);
    return [];
  },
);

/** Products of matrices, independent of how they are computed: `lowerGemm` lowers them to core ops. */
export const linalg = dialect('linalg', [gemm]);

const multiply = (
  op: Op,
  { type, m, n, k, a, b, c, beta }: GemmSpec,
  alpha: number,
  at: readonly (number | bigint)[],
  machine: Machine,
): void => {
  const buffers = gemmBuffers(op);
  const round = type === 'f32' ? Math.fround : (x: number): number => x;
  const readAt = (buffer: string, from: number | bigint, extent: number): ((i: number) => number) => {
    const start = elementIndex(op, machine, buffer, machine.buffer(buffer).length, extent)(from);
    const read = elementReader(op, machine, buffer, type);
    return (i) => read(start + i) as number;
  };
  const [readA, readB] = [readAt(buffers.a, at[0], viewExtent(a, m, k)), readAt(buffers.b, at[1], viewExtent(b, k, n))];
  const extentC = viewExtent({ kind: 'dense', ...c }, m, n);
  const readC = readAt(buffers.c, at[2], extentC);
  const write = elementWriter(machine, buffers.c, type);
  const start = Number(at[2]);
  const [rows, columns] = [byRow(a, m, k), byColumn(b, k, n)];
  for (let j = 0; j < n; j++)
    for (let i = 0; i < m; i++) {
      let sum = 0;
      for (const [l, q] of columns[j]) {
        const p = rows[i].get(l);
        if (p !== undefined) sum = round(sum + round(readA(p) * readB(q)));
      }
      const place = i * c.rowStride + j * c.columnStride;
      const product = round(round(alpha) * sum);
      write(start + place, beta === 0 ? product : round(readC(place) + product));
    }
};

/** For each row the column and position of its entries. */
const byRow = (view: MatrixView, rows: number, columns: number): readonly ReadonlyMap<number, number>[] => {
  const lists = Array.from({ length: rows }, () => new Map<number, number>());
  entries(view, rows, columns, (i, j, p) => lists[i].set(j, p));
  return lists;
};

/** For each column the row and position of its entries, by row. */
const byColumn = (view: MatrixView, rows: number, columns: number): readonly ReadonlyMap<number, number>[] => {
  const lists = Array.from({ length: columns }, () => new Map<number, number>());
  entries(view, rows, columns, (i, j, p) => lists[j].set(i, p));
  return lists;
};

const entries = (
  view: MatrixView,
  rows: number,
  columns: number,
  visit: (row: number, column: number, position: number) => void,
): void => {
  if (view.kind === 'sparse') view.positions.forEach((p, e) => visit(view.rows[e], view.columns[e], p));
  else
    for (let j = 0; j < columns; j++)
      for (let i = 0; i < rows; i++) visit(i, j, i * view.rowStride + j * view.columnStride);
};

const bare = (op: Op, attr: string): string => String(op.attrs[attr]).replace(/^@/, '');

const named = (op: Op, attr: string, buffers: Buffers): string | undefined => {
  const value = op.attrs[attr];
  if (typeof value !== 'string' || !value.startsWith('@')) return `attribute '${attr}' must name a buffer, as in @x`;
  return buffers.has(value.slice(1)) ? undefined : `there is no buffer ${value}`;
};

const bufferProblem = (op: Op, attr: 'a' | 'b' | 'c', buffers: Buffers): string | undefined => {
  const problem = named(op, attr, buffers);
  if (problem !== undefined) return problem;
  const { name, type } = buffers.get(bare(op, attr))!;
  return type === op.attrs.type ? undefined : `buffer @${name} is ${type}, the product is ${String(op.attrs.type)}`;
};

const extentProblem = (op: Op, buffers: Buffers): string | undefined => {
  const { m, n, k, a, b, c } = gemmSpecOf(op);
  const extents = {
    a: viewExtent(a, m, k),
    b: viewExtent(b, k, n),
    c: viewExtent({ kind: 'dense', ...c }, m, n),
  };
  const names = gemmBuffers(op);
  return (['a', 'b', 'c'] as const)
    .filter((x) => extents[x] > buffers.get(names[x])!.length)
    .map((x) => `${x.toUpperCase()} takes ${extents[x]} elements, buffer @${names[x]} has fewer`)[0];
};

const operandsProblem = (op: Op): string | undefined => {
  const [alpha, prefetch] = [op.attrs.alpha === 'value', op.attrs.prefetch !== undefined];
  const count = 3 + Number(alpha) + Number(prefetch);
  if (op.operands.length !== count) return `takes ${count} operands, has ${op.operands.length}`;
  const index = (at: number): string | undefined => operandIs(op, at, 'an index (i32 or i64)', isIndex);
  return (
    index(0) ??
    index(1) ??
    index(2) ??
    (alpha ? operandIs(op, 3, String(op.attrs.type), (t) => t === op.attrs.type) : undefined) ??
    (prefetch ? index(count - 1) : undefined)
  );
};
