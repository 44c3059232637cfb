import {
  type Builder,
  type Dialect,
  type Module,
  type Op,
  type Pass,
  type Value,
  coreDialects,
  mapKernels,
  pass,
  rewriteOps,
} from '@filigree/ir';
import { gemmSpecOf } from '../linalg/gemm-attrs.js';
import { gemmBuffers, gemmOperands, linalg } from '../linalg/linalg.js';
import type { GemmSpec, GemmTarget, MatrixView } from './gemm-spec.js';

/**
 * Makes core ops of every `linalg.gemm`.
 *
 * @param dialects what else the module may use
 */
export const lowerGemm = (_target: GemmTarget, dialects: readonly Dialect[] = coreDialects): Pass<Module> =>
  pass('lower-gemm', (module: Module) =>
    mapKernels(module, (kernel) =>
      rewriteOps(
        kernel,
        [...new Set([...dialects, linalg])],
        (op, ctx) => (op.name === 'linalg.gemm' ? ctx.build((b) => multiply(b, op)) : undefined),
        module.buffers,
      ),
    ),
  );

const multiply = (b: Builder, op: Op): void => {
  const spec = gemmSpecOf(op);
  const { m, n, k, c } = spec;
  const buffers = gemmBuffers(op);
  const at = gemmOperands(op);
  const index = (x: number): Value => b.constant(at.cAt.type === 'i64' ? BigInt(x) : x, at.cAt.type);
  const place = (from: Value, i: Value, rowStride: number, j: Value, columnStride: number): Value =>
    b.add(from, toType(b, b.add(b.mul(i, index(rowStride)), b.mul(j, index(columnStride))), from));
  const { alpha } = spec;
  const scaled = (x: Value): Value =>
    alpha === 1 ? x : b.mul(x, alpha === 'value' ? at.alpha! : b.constant(alpha, spec.type));
  if (spec.a.kind === 'dense' && spec.b.kind === 'dense') {
    const { a, b: right } = spec;
    b.for(index(0), index(n), index(1), {}, [], (j) => {
      b.for(index(0), index(m), index(1), {}, [], (i) => {
        const [sum] = b.for(index(0), index(k), index(1), {}, [b.constant(0, spec.type)], (l, [partial]) => {
          const x = b.load(buffers.a, place(at.aAt, i, a.rowStride, l, a.columnStride));
          const y = b.load(buffers.b, place(at.bAt, l, right.rowStride, j, right.columnStride));
          return b.fma(x, y, partial);
        });
        const to = place(at.cAt, i, c.rowStride, j, c.columnStride);
        b.store(buffers.c, spec.beta === 0 ? scaled(sum) : b.add(b.load(buffers.c, to), scaled(sum)), to);
      });
    });
    return;
  }
  const fixed = (from: Value, offset: number): Value =>
    b.add(from, b.constant(from.type === 'i64' ? BigInt(offset) : offset, from.type));
  for (const { row, column, products } of elementsOf(spec)) {
    const to = fixed(at.cAt, row * c.rowStride + column * c.columnStride);
    const sum = products.reduce<Value>(
      (partial, [p, q]) => b.fma(b.load(buffers.a, fixed(at.aAt, p)), b.load(buffers.b, fixed(at.bAt, q)), partial),
      b.constant(0, spec.type),
    );
    b.store(buffers.c, spec.beta === 0 ? scaled(sum) : b.add(b.load(buffers.c, to), scaled(sum)), to);
  }
};

const toType = (b: Builder, v: Value, like: Value): Value =>
  v.type === like.type ? v : b.cast(v, like.type === 'i64' ? 'i64' : 'i32');

/** The elements of C with the positions of the factors that make each. */
const elementsOf = (spec: GemmSpec) => {
  const [rows, columns] = [entries(spec.a, spec.m, spec.k), entries(spec.b, spec.k, spec.n)];
  const out: { row: number; column: number; products: (readonly [number, number])[] }[] = [];
  for (let column = 0; column < spec.n; column++)
    for (let row = 0; row < spec.m; row++) {
      const products: (readonly [number, number])[] = [];
      for (let l = 0; l < spec.k; l++) {
        const [p, q] = [rows.get(row + l * spec.m), columns.get(l + column * spec.k)];
        if (p !== undefined && q !== undefined) products.push([p, q]);
      }
      out.push({ row, column, products });
    }
  return out;
};

/** Position of each entry, by `row + column·rows`. */
const entries = (view: MatrixView, rows: number, columns: number): ReadonlyMap<number, number> => {
  const out = new Map<number, number>();
  if (view.kind === 'sparse') view.positions.forEach((p, e) => out.set(view.rows[e] + view.columns[e] * rows, p));
  else
    for (let j = 0; j < columns; j++)
      for (let i = 0; i < rows; i++) out.set(i + j * rows, i * view.rowStride + j * view.columnStride);
  return out;
};
