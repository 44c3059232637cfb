import { fail, type Loc } from '@filigree/ir';
import type { CsrPattern } from '../patterns/csr.js';
import { postOrder, type Expr, type ExprTree } from './tree.js';

/** What an expression does with matrices `M`, whatever stands behind them; shapes are checked before each call. */
export interface MatrixOperations<M> {
  readonly pattern: (m: M) => CsrPattern;
  readonly add: (a: M, b: M, loc: Loc) => M;
  readonly sub: (a: M, b: M, loc: Loc) => M;
  readonly neg: (a: M, loc: Loc) => M;
  readonly scale: (s: number, a: M, loc: Loc) => M;
  readonly transpose: (a: M, loc: Loc) => M;
  readonly multiply: (a: M, b: M, loc: Loc) => M;
}

/** What names stand for: matrices, or ordinary numbers. */
export type Bindings<M> = Readonly<Record<string, M | number>>;

/**
 * Evaluates an expression, operands before operators and left before right. Numbers combine as numbers; a number times a
 * matrix is one `scale`; powers multiply from the left. Throws `DiagnosticError`: `expr/unbound`, `expr/shape`,
 * `expr/power`, `expr/number`.
 */
export const foldExpr = <M>(tree: ExprTree, bindings: Bindings<M>, ops: MatrixOperations<M>): M => {
  const stack: (M | number)[] = [];
  for (const e of postOrder(tree.root)) {
    if (e.kind === 'name') stack.push(lookUp(e, bindings));
    else if (e.kind === 'number') stack.push(e.value);
    else if ('arg' in e) stack.push(unary(e, stack.pop()!, ops));
    else {
      const right = stack.pop()!;
      const left = stack.pop()!;
      stack.push(binary(e, left, right, ops));
    }
  }
  const result = stack[0];
  if (typeof result !== 'number') return result;
  return fail('expr/shape', `the expression is the number ${result}, not a matrix`, {
    loc: tree.root.loc,
    remedy: 'use at least one matrix name',
  });
};

type Unary = Extract<Expr, { arg: Expr }>;
type Binary = Extract<Expr, { left: Expr }>;

const lookUp = <M>(e: Extract<Expr, { kind: 'name' }>, bindings: Bindings<M>): M | number => {
  if (!Object.hasOwn(bindings, e.name)) {
    const known = Object.keys(bindings);
    fail('expr/unbound', `nothing is bound to '${e.name}'`, {
      loc: e.loc,
      remedy: `bind a matrix to ${e.name}${known.length > 0 ? `, or use one of: ${known.join(', ')}` : ''}`,
    });
  }
  const value = bindings[e.name];
  if (typeof value === 'number') requireFinite(value, e.loc);
  return value;
};

const unary = <M>(e: Unary, x: M | number, ops: MatrixOperations<M>): M | number => {
  if (typeof x === 'number') return e.kind === 'neg' ? -x : x;
  return e.kind === 'neg' ? ops.neg(x, e.loc) : ops.transpose(x, e.loc);
};

const binary = <M>(e: Binary, a: M | number, b: M | number, ops: MatrixOperations<M>): M | number => {
  const { loc } = e;
  if (e.kind === 'pow') return raise(a, b, loc, ops);
  if (typeof a === 'number' && typeof b === 'number') {
    return requireFinite(e.kind === 'add' ? a + b : e.kind === 'sub' ? a - b : a * b, loc);
  }
  if (e.kind === 'mul') {
    if (typeof a === 'number') return ops.scale(a, b as M, loc);
    if (typeof b === 'number') return ops.scale(b, a, loc);
    const pa = ops.pattern(a);
    const pb = ops.pattern(b);
    if (pa.cols !== pb.rows) {
      fail('expr/shape', `cannot multiply ${shape(pa)} by ${shape(pb)}`, {
        loc,
        remedy: `the left side has ${pa.cols} columns and the right side ${pb.rows} rows; they must agree, perhaps by a transpose`,
      });
    }
    return ops.multiply(a, b, loc);
  }
  const verb = e.kind === 'add' ? 'add' : 'subtract';
  if (typeof a === 'number' || typeof b === 'number') {
    const m = ops.pattern((typeof a === 'number' ? b : a) as M);
    return fail('expr/shape', `cannot ${verb} a number and a ${shape(m)} matrix: it would fill every entry`, {
      loc,
      remedy: 'bind an identity matrix and use a multiple of it, as in A + 2*I',
    });
  }
  const pa = ops.pattern(a);
  const pb = ops.pattern(b);
  if (pa.rows !== pb.rows || pa.cols !== pb.cols) {
    fail('expr/shape', `cannot ${verb} ${shape(pa)} and ${shape(pb)}`, {
      loc,
      remedy: 'both sides need the same rows and columns',
    });
  }
  return e.kind === 'add' ? ops.add(a, b, loc) : ops.sub(a, b, loc);
};

/** Powers are written out. Beyond this nobody would wait for them. */
const MOST_FACTORS = 1_000_000;

const raise = <M>(a: M | number, k: M | number, loc: Loc, ops: MatrixOperations<M>): M | number => {
  if (typeof k !== 'number') {
    return fail('expr/power', 'the exponent is a matrix', { loc, remedy: 'exponents are numbers, as in A^3' });
  }
  if (typeof a === 'number') return requireFinite(a ** k, loc);
  const p = ops.pattern(a);
  if (p.rows !== p.cols) {
    fail('expr/power', `a ${shape(p)} matrix has no powers`, {
      loc,
      remedy: "powers need a square matrix, such as A'*A",
    });
  }
  if (!Number.isSafeInteger(k) || k < 1) {
    fail('expr/power', `a matrix cannot be raised to ${k}`, {
      loc,
      remedy: 'exponents of matrices are whole numbers from 1; inverses and roots are not sparse algebra',
    });
  }
  if (k > MOST_FACTORS) {
    fail('expr/power', `a matrix cannot be raised to ${k}, which is more than ${MOST_FACTORS}`, {
      loc,
      remedy:
        'every factor is a product with code of its own: run the program for a small power again and again instead',
    });
  }
  let out = a;
  for (let n = 1; n < k; n++) out = ops.multiply(out, a, loc);
  return out;
};

const requireFinite = (x: number, loc: Loc): number =>
  Number.isFinite(x)
    ? x
    : fail('expr/number', `the number here comes to ${x}`, { loc, remedy: 'use numbers within the range of a double' });

const shape = (p: CsrPattern): string => `${p.rows} × ${p.cols}`;
