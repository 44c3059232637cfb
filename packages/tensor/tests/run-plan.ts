import { positionIn, type Action, type Operand, type Plan } from '@filigree/tensor';

/**
 * Executes a plan by plain loops, the meaning of an action list: temporaries in their shared buffers, which hold NaN at
 * first as do tensors that are only written; products of matrices by their views; rows of padding become NaN.
 *
 * @param values entries of each tensor, column-major over its shape
 * @returns the entries of each tensor that the plan writes
 */
export const runPlan = (
  plan: Plan,
  values: Readonly<Record<string, ArrayLike<number>>>,
  scalars: Readonly<Record<string, number>> = {},
): Record<string, Float64Array> => {
  const memory = new Map<string, Float64Array>();
  for (const { tensor, layout, access } of plan.tensors) {
    const data = new Float64Array(layout.size).fill(access === 'write' ? NaN : 0);
    if (access !== 'write')
      forEach(
        tensor.shape.map((n) => [0, n]),
        (at, e) => {
          const p = positionIn(layout, at);
          if (p >= 0) data[p] = (tensor.values ?? values[tensor.name])[e];
        },
      );
    memory.set(tensor.name, data);
  }
  for (const { tensor, layout } of plan.known ?? []) {
    const data = new Float64Array(layout.size);
    forEach(
      tensor.shape.map((n) => [0, n]),
      (at, e) => {
        const p = positionIn(layout, at);
        if (p >= 0) data[p] = tensor.values![e];
        else if (tensor.values![e] !== 0) throw new Error('a known value has no place');
      },
    );
    memory.set(tensor.name, data);
  }
  const buffers = plan.buffers.map((n) => new Float64Array(n).fill(NaN));
  for (const t of plan.temporaries) memory.set(t.name, buffers[t.buffer].subarray(0, t.layout.size));
  for (const action of plan.actions) runAction(action, memory, scalars);
  const out: Record<string, Float64Array> = {};
  for (const { tensor, layout, access } of plan.tensors) {
    if (access === 'read') continue;
    const data = new Float64Array(tensor.shape.reduce((v, n) => v * n, 1));
    forEach(
      tensor.shape.map((n) => [0, n]),
      (at, e) => {
        const p = positionIn(layout, at);
        if (p >= 0) data[e] = memory.get(tensor.name)![p];
      },
    );
    out[tensor.name] = data;
  }
  return out;
};

type Interval = readonly [number, number];

const runAction = (a: Action, memory: Map<string, Float64Array>, scalars: Readonly<Record<string, number>>): void => {
  const data = memory.get(a.target.name)!;
  /* What is added to is changed while sources are read, as in the code. */
  const result = a.add ? data : new Float64Array(data.length);
  const scale = a.scale.scalars.reduce((v, s) => v * scalars[s], a.scale.factor);
  const { operation, ranges } = a;
  const range = (i: string): Interval => ranges[i];
  const at = (o: Operand, env: Readonly<Record<string, number>>): number =>
    positionIn(
      o.layout,
      [...o.indices].map((i) => env[i]),
    );
  const over = (indices: string, visit: (env: Record<string, number>) => void): void =>
    forEach([...indices].map(range), (values) => visit(Object.fromEntries([...indices].map((i, d) => [i, values[d]]))));
  const add = (env: Record<string, number>, value: number): void => {
    const p = at(a.target, env);
    if (p >= 0) result[p] += scale * value;
  };
  const read = (o: Operand, env: Record<string, number>): number => {
    const p = at(o, env);
    return p < 0 ? 0 : memory.get(o.name)![p];
  };
  if (a.scale.factor === 0) {
    data.set(result);
    return;
  }
  if (operation.kind === 'copyscaleadd' || operation.kind === 'indexsum')
    over(operation.source.indices, (env) => add(env, read(operation.source, env)));
  else if (operation.kind === 'product')
    over([...new Set(operation.left.indices + operation.right.indices)].join(''), (env) =>
      add(env, read(operation.left, env) * read(operation.right, env)),
    );
  else {
    const { gemm, left, right, loops } = operation;
    const first = Object.fromEntries(Object.entries(ranges).map(([i, [start]]) => [i, start]));
    const base = (o: Operand, env: Record<string, number>): number =>
      o.layout.kind === 'dense' ? at(o, { ...first, ...env }) : 0;
    over(loops, (env) => {
      const [c0, a0, b0] = [base(a.target, env), base(left, env), base(right, env)];
      const [A, B] = [memory.get(left.name)!, memory.get(right.name)!];
      const b = gemm.b;
      const entries: (readonly [k: number, j: number, position: number])[] = [];
      if (b.kind === 'sparse') b.rows.forEach((k, e) => entries.push([k, b.columns[e], b.positions[e]]));
      else
        for (let j = 0; j < gemm.n; j++)
          for (let k = 0; k < gemm.k; k++) entries.push([k, j, k * b.rowStride + j * b.columnStride]);
      const stored = gemm.a.kind === 'dense' ? gemm.a : gemm.a.stored;
      if (!stored) throw new Error('A is stored with its zeros');
      const { rowStride, columnStride } = stored;
      if (gemm.beta === 0)
        for (let j = 0; j < gemm.n; j++)
          for (let i = 0; i < gemm.m; i++) result[c0 + i * gemm.c.rowStride + j * gemm.c.columnStride] = 0;
      for (const [k, j, p] of entries)
        for (let i = 0; i < gemm.m; i++)
          result[c0 + i * gemm.c.rowStride + j * gemm.c.columnStride] +=
            (gemm.alpha === 'value' ? scale : gemm.alpha) * A[a0 + i * rowStride + k * columnStride] * B[b0 + p];
      if (gemm.mPadded !== undefined)
        for (let j = 0; j < gemm.n; j++)
          for (let i = gemm.m; i < gemm.mPadded; i++) {
            if (a0 + i * rowStride + (gemm.k - 1) * columnStride >= A.length) throw new Error('padding outside A');
            result[c0 + i + j * gemm.c.columnStride] = NaN;
          }
    });
  }
  data.set(result);
};

/** All points of a box, the first dimension fastest. */
export const forEach = (box: readonly Interval[], visit: (at: readonly number[], entry: number) => void): void => {
  if (box.some(([start, stop]) => start >= stop)) return;
  const at = box.map(([start]) => start);
  for (let e = 0; ; e++) {
    visit(at, e);
    let d = 0;
    for (; d < box.length && ++at[d] === box[d][1]; d++) at[d] = box[d][0];
    if (d === box.length) return;
  }
};
