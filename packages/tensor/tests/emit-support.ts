import * as E from 'fp-ts/lib/Either.js';
import {
  allocateBuffers,
  coreDialects,
  formatDiagnostic,
  interpret,
  type Diagnostics,
  type Module,
} from '@filigree/ir';
import {
  denseLayout,
  linalg,
  packTensor,
  unpackTensor,
  type Action,
  type Interval,
  type Layout,
  type Operand,
  type Plan,
  type TensorDecl,
} from '@filigree/tensor';

/** Repeatable numbers in [-1, 1). */
export const randomNumbers = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 2 ** 23 - 1;
  };
};

/** The value, or all diagnostics as an error. */
export const right = <A>(e: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.map((d) => formatDiagnostic(d)).join('\n'));
  return e.right;
};

/** The smallest dense box around a pattern, aligned. */
export const box = (shape: readonly number[], bits: Uint8Array, align = 1): Layout => {
  const range = shape.map((): [number, number] => [Infinity, 0]);
  bits.forEach((bit, index) => {
    if (!bit) return;
    let rest = index;
    shape.forEach((n, d) => {
      const i = rest % n;
      rest = Math.floor(rest / n);
      range[d] = [Math.min(range[d]![0], i), Math.max(range[d]![1], i + 1)];
    });
  });
  return denseLayout(
    range.map(([a, b]): Interval => (a < b ? [a, b] : [0, 1])),
    align,
  );
};

/** A plan of one action, by hand. */
export const planOf = (
  actions: readonly Action[],
  type: 'f32' | 'f64' = 'f64',
  scalars: readonly string[] = [],
): Plan => {
  const found = new Map<string, { tensor: TensorDecl; layout: Layout; access: 'read' | 'write' | 'readwrite' }>();
  const see = (o: Operand, access: 'read' | 'write' | 'readwrite'): void => {
    const before = found.get(o.name);
    found.set(o.name, {
      tensor: { name: o.name, shape: o.pattern.shape, pattern: o.pattern },
      layout: o.layout,
      access: before && before.access !== access ? 'readwrite' : access,
    });
  };
  for (const { target, add, operation: op } of actions) {
    for (const s of 'source' in op ? [op.source] : [op.left, op.right]) see(s, 'read');
    see(target, add ? 'readwrite' : 'write');
  }
  return {
    name: 'kernel',
    type,
    tensors: [...found.values()],
    scalars,
    temporaries: [],
    buffers: [],
    actions,
    flops: { nonzero: 0, hardware: 0, naive: 0 },
  };
};

/** Runs a module on dense values of the plan's tensors and gives what they are afterwards, densely. */
export const runPlan = (
  module: Module,
  plan: Plan,
  values: Readonly<Record<string, ArrayLike<number>>>,
  args: readonly number[] = [],
): Readonly<Record<string, Float64Array>> => {
  const memory = allocateBuffers(module.buffers);
  /* What is not written is seen. */
  for (const t of plan.tensors) {
    const view = memory[t.tensor.name] as Float64Array | undefined;
    /* Known values are the module's own. */
    if (!view) continue;
    if (t.access === 'write') view.fill(NaN);
    else packTensor(t.tensor, t.layout, values[t.tensor.name]!, view);
  }
  right(interpret(module, [...coreDialects, linalg], memory, { kernel: module.kernels[0]!.name, args }));
  return Object.fromEntries(
    plan.tensors
      .filter((t) => memory[t.tensor.name])
      .map((t) => [t.tensor.name, unpackTensor(t.tensor, t.layout, memory[t.tensor.name] as Float64Array)]),
  );
};
