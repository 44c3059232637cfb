import type { Expr } from '@filigree/sparse/formats';

/**
 * C++ that evaluates an expression with Eigen's sparse matrices, as one would write it by hand: products and powers in
 * matrices of their own, sums and multiples left to Eigen's lazy evaluation. Matrix number `k` of `matrices` is `in[k]`;
 * other names are `numbers`. Only for expressions whose shapes agree.
 */
export const eigenSource = (
  root: Expr,
  matrices: readonly string[],
  numbers: Readonly<Record<string, number>>,
  scalar: 'float' | 'double',
): string => {
  const statements: string[] = [];
  const keep = (code: string): string => {
    const name = `t${statements.length}`;
    statements.push(`const M ${name} = ${code};`);
    return name;
  };
  /* As an operand of a product, of a sum, of a transpose. */
  const factor = (x: Value): string => (x.form === 'sum' || x.form === 'product' ? keep(x.code) : x.code);
  const term = (x: Value): string =>
    x.form === 'transpose' ? `M(${x.code})` : x.form === 'product' ? keep(x.code) : x.code;
  const variable = (x: Value): string => (x.form === 'variable' ? x.code : keep(x.code));

  const power = (x: Value, k: number): Value => {
    if (k === 1) return x;
    const base = variable(x);
    const result = `t${statements.length}`;
    statements.push(
      `M ${result} = ${base};`,
      `for (int k = 1; k < ${k}; k++) { M next = ${result} * ${base}; ${result}.swap(next); }`,
    );
    return { form: 'variable', code: result };
  };
  const binary = (kind: 'add' | 'sub' | 'mul' | 'pow', a: Value | number, b: Value | number): Value | number => {
    if (typeof a === 'number' && typeof b === 'number')
      return kind === 'add' ? a + b : kind === 'sub' ? a - b : kind === 'mul' ? a * b : a ** b;
    if (kind === 'pow') return power(a as Value, b as number);
    if (kind !== 'mul')
      return { form: 'sum', code: `(${term(a as Value)} ${kind === 'add' ? '+' : '-'} ${term(b as Value)})` };
    if (typeof a === 'number') return { form: 'sum', code: `(S(${a}) * ${term(b as Value)})` };
    if (typeof b === 'number') return { form: 'sum', code: `(S(${b}) * ${term(a)})` };
    return { form: 'product', code: `${factor(a)} * ${factor(b)}` };
  };

  const values: (Value | number)[] = [];
  for (const e of operandsFirst(root)) {
    if (e.kind === 'number') values.push(e.value);
    else if (e.kind === 'name')
      values.push(
        matrices.includes(e.name) ? { form: 'variable', code: `in[${matrices.indexOf(e.name)}]` } : numbers[e.name],
      );
    else if ('arg' in e) {
      const x = values.pop()!;
      if (typeof x === 'number') values.push(e.kind === 'neg' ? -x : x);
      else if (e.kind === 'neg') values.push({ form: 'sum', code: `(-${term(x)})` });
      else values.push({ form: 'transpose', code: `${variable(x)}.transpose()` });
    } else {
      const right = values.pop()!;
      values.push(binary(e.kind, values.pop()!, right));
    }
  }
  statements.push(`out = ${(values[0] as Value).code};`);
  return program(scalar, matrices.length, statements);
};

/** A matrix: a variable, a transposed variable, a product not yet made, a sum or multiple that Eigen evaluates lazily. */
interface Value {
  readonly form: 'variable' | 'transpose' | 'product' | 'sum';
  readonly code: string;
}

/* Without recursion, for sums may be long. */
const operandsFirst = (root: Expr): readonly Expr[] => {
  const nodes: Expr[] = [];
  const open: Expr[] = [root];
  for (let e = open.pop(); e !== undefined; e = open.pop()) {
    nodes.push(e);
    if ('arg' in e) open.push(e.arg);
    else if ('left' in e) open.push(e.left, e.right);
  }
  return nodes.reverse();
};

const program = (scalar: string, inputs: number, statements: readonly string[]): string => `#include <Eigen/Sparse>

using S = ${scalar};
using M = Eigen::SparseMatrix<S>;
using Rows = Eigen::SparseMatrix<S, Eigen::RowMajor>;

struct Case {
  M in[${Math.max(inputs, 1)}], out;
  void run() {
    ${statements.join('\n    ')}
  }
};

#define EXPORT extern "C" __attribute__((visibility("default")))

// No exception may leave the library: 0 where memory ran out, else 1.
template <class F>
static int guarded(F f) {
  try {
    f();
    return 1;
  } catch (...) {
    return 0;
  }
}

EXPORT void *baseline_new() { return new Case; }
EXPORT void baseline_delete(void *c) { delete (Case *)c; }
EXPORT int baseline_set(void *c, int slot, int rows, int cols, const int *ptr, const int *idx, const S *val) {
  return guarded([&] { ((Case *)c)->in[slot] = Eigen::Map<const Rows>(rows, cols, ptr[rows], ptr, idx, val); });
}
EXPORT int baseline_run(void *c) {
  return guarded([&] { ((Case *)c)->run(); });
}
EXPORT int baseline_entries(void *c) { return (int)((Case *)c)->out.nonZeros(); }
EXPORT int baseline_get(void *c, int *ptr, int *idx, S *val) {
  return guarded([&] {
    Rows out = ((Case *)c)->out;
    out.makeCompressed();
    std::copy_n(out.outerIndexPtr(), out.rows() + 1, ptr);
    std::copy_n(out.innerIndexPtr(), out.nonZeros(), idx);
    std::copy_n(out.valuePtr(), out.nonZeros(), val);
  });
}
`;
