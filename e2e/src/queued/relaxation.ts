import { compile, compileExpression, session, type Csr, type ExampleOptions, type GraphPass } from 'filigree';
import { columnOf } from './column-of.js';
import { farthest } from './farthest.js';
import type { CaseOutcome } from './run-case.js';

/** How the example is run. */
export interface RelaxationOptions extends Pick<ExampleOptions, 'backend' | 'dtype' | 'threads' | 'emit' | 'warn'> {
  /** Points along the rod. */
  readonly n: number;
  readonly steps: number;
  readonly queue: boolean;
  readonly without: readonly GraphPass[];
}

/**
 * Relaxes the temperatures along a rod: a product with its matrix, which is an expression of sparse algebra, and an update, which is a function on
 * numbers. Both are programs of one session. What the product leaves in a stretch of rows only the update of these rows reads, so the two
 * become one loop; the next product reads rows beside, and stays apart.
 */
export const runRelaxation = async (options: RelaxationOptions): Promise<CaseOutcome> => {
  const { n, steps, queue, without, dtype, threads, backend } = options;
  const together = await session({ queue: queue && { without }, ...(backend === undefined ? {} : { backend }) });
  const matrix = rod(n);
  const column = columnOf(n);
  const made = { session: together, dtype, threads } as const;
  const scope = { WEIGHT };
  const product = await compileExpression('A*X', { A: matrix, X: column }, made);
  const update = await compile(relaxed(n), {
    ...made,
    scope,
    bind: { x: product.buffer('X'), r: product.buffer('result') },
  });
  const productBack = await compileExpression(
    'A*X',
    { A: matrix, X: column },
    { ...made, bind: { A: product.buffer('A'), X: update.buffer('u'), result: product.buffer('result') } },
  );
  const updateBack = await compile(relaxed(n), {
    ...made,
    scope,
    bind: { x: update.buffer('u'), r: product.buffer('result'), b: update.buffer('b'), u: product.buffer('X') },
  });
  const programs = [product, update, productBack, updateBack];
  options.emit?.('relaxation', product.sources);
  const right = Float64Array.from({ length: n }, (_, k) => Math.sin(0.1 * k));
  update.set('b', right);
  product.set('X', new Float64Array(n));
  product.set('A', matrix.values);
  try {
    const take = (count: number): void => {
      for (let k = 0; k < count; k++) {
        for (const one of programs) one.run();
        together.flush();
      }
    };
    for (let k = 0; k < WARM; k++) {
      take(1);
      await together.sync({ compiled: true });
    }
    const before = together.queued();
    const begin = performance.now();
    take(steps);
    const wallMs = performance.now() - begin;
    const after = together.queued();
    options.warn?.(after.warnings);
    const launches = steps * programs.length;
    const found = product.buffer('X').read();
    const wanted = plainRelaxation(matrix, right, 2 * (WARM + steps));
    return {
      backend: product.backend,
      metrics: {
        launches,
        tasksLaunched: queue ? after.tasksLaunched - before.tasksLaunched : launches,
        tasksCompiled: programs.length + after.tasksCompiled,
        plans: after.plans,
        planMs: after.planMs,
        compileMs: after.compileMs,
        wallMs,
      },
      maxRelError: farthest(found as Float64Array, wanted),
    };
  } finally {
    for (const one of programs) one.dispose();
    together.dispose();
  }
};

/** Double steps before those that are measured. */
const WARM = 3;

const WEIGHT = 0.2;

const relaxed = (size: number) =>
  ({
    inputs: { x: size, r: size, b: size },
    run: ({ x, r, b }: Readonly<Record<'x' | 'r' | 'b', readonly number[]>>) => ({
      u: x.map((v, k) => v + WEIGHT * (b[k]! - r[k]!)),
    }),
  }) as const;

/** Second differences along a rod, and a little on the diagonal. */
const rod = (size: number): Csr<Float64Array> => {
  const [rowPtr, colIdx, values] = [[0], [] as number[], [] as number[]];
  for (let k = 0; k < size; k++) {
    for (const at of [k - 1, k, k + 1]) {
      if (at < 0 || at >= size) continue;
      colIdx.push(at);
      values.push(at === k ? 2.2 : -1);
    }
    rowPtr.push(colIdx.length);
  }
  const pattern = { rows: size, cols: size, rowPtr: Int32Array.from(rowPtr), colIdx: Int32Array.from(colIdx) };
  return { pattern, values: Float64Array.from(values) };
};

/** The same by plain loops over compressed rows. */
const plainRelaxation = (
  { pattern: { rows, rowPtr, colIdx }, values }: Csr<Float64Array>,
  right: Float64Array,
  steps: number,
): Float64Array => {
  let x = new Float64Array(rows);
  for (let s = 0; s < steps; s++) {
    const from = x;
    x = from.map((own, row) => {
      let product = 0;
      for (let e = rowPtr[row]; e < rowPtr[row + 1]; e++) product += values[e] * from[colIdx[e]];
      return own + WEIGHT * (right[row] - product);
    });
  }
  return x;
};
