import type { AnyNode, CallExpression } from 'acorn';
import { DiagnosticError, unaryFunctions } from '@filigree/ir';

import { algebraOp, resultShape, type AlgebraOp } from '../vocabulary/algebra.js';
import type { ScalarRing } from '../vocabulary/ring.js';
import { sized, type SizedName } from '../vocabulary/sized.js';
import { compute, refuse, type Context } from '../elaborate/context/context.js';
import { itemsOf } from '../elaborate/terms/items.js';
import {
  isLiteral,
  isScalar,
  shapedTerm,
  termText,
  unshaped,
  areScalars,
  type Shaped,
  type Term,
} from '../elaborate/context/term.js';
import { argumentsOf } from '../elaborate/expressions/evaluate.js';
import { power } from '../elaborate/expressions/binary-operation.js';
import { literal, type Scalar } from '../code/scalar.js';

/** The algebra of small vectors and matrices over scalars of a kernel. */
const ringAt = (cx: Context, node: AnyNode): ScalarRing<Scalar> =>
  new KernelRing(cx, node) as unknown as ScalarRing<Scalar>;

/* Most calls use only two or three of the many operations, so each is made when first asked for. */
class KernelRing {
  constructor(
    readonly cx: Context,
    readonly node: AnyNode,
  ) {}
}

const operations = [...unaryFunctions, 'neg', 'real', 'add', 'sub', 'mul', 'div', 'rem', 'min', 'max'] as const;

const define = (name: keyof ScalarRing<Scalar>, make: (ring: KernelRing) => unknown): void =>
  void Object.defineProperty(KernelRing.prototype, name, {
    get(this: KernelRing): unknown {
      return make(this);
    },
  });

for (const name of operations) {
  const unary = name === 'neg' || name === 'real' || (unaryFunctions as readonly string[]).includes(name);
  define(name, ({ cx, node }) =>
    unary ? (a: Scalar) => compute(cx, node, name, a) : (a: Scalar, b: Scalar) => compute(cx, node, name, a, b),
  );
}
define(
  'pow',
  ({ cx, node }) =>
    (a: Scalar, b: Scalar) =>
      power(cx, node, a, b),
);
define('constant', () => (value: number) => literal(value));

/** `v.name(…)` of a vector or matrix. */
export const algebraMethod = (
  cx: Context,
  e: CallExpression,
  of: Shaped,
  name: string,
  args: readonly Term[],
): Term => {
  const op = algebraOp(name);
  if (op?.form !== 'method')
    return refuse(
      cx,
      e,
      'lang/unknown-member',
      `${termText(of)} has no method \`${name}\``,
      'see the list of the methods of Vec and Mat',
    );
  return applyOp(cx, e, op, [of, ...args.map((a) => operand(cx, e, a))]);
};

/** `vec(…)`, `mat(…)`, `columns(…)`, `diag(…)`: arrays of numbers stand for vectors. */
export const algebraFunction =
  (name: 'vec' | 'mat' | 'columns' | 'diag') =>
  (cx: Context, e: CallExpression): Term =>
    applyOp(
      cx,
      e,
      algebraOp(name)!,
      argumentsOf(cx, e).map((a) => operand(cx, e, a)),
    );

/** `identity(n)` and `zeros(n, m)`, whose sizes must be known. */
export const sizedFunction =
  (name: SizedName) =>
  (cx: Context, e: CallExpression): Term => {
    const sizes = argumentsOf(cx, e).map((a) =>
      isLiteral(a)
        ? Number(a.value)
        : refuse(
            cx,
            e,
            'lang/shape',
            'the size of a vector or matrix must be known at compile time',
            'use a number, or a constant of the scope',
          ),
    );
    try {
      const { shape, elements } = sized(name, ringAt(cx, e), sizes);
      return unshaped(shape, elements);
    } catch (thrown) {
      if (!(thrown instanceof DiagnosticError)) throw thrown;
      return refuse(cx, e, 'lang/shape', thrown.diagnostics[0].message, 'use whole numbers from 1 up');
    }
  };

/** The sum of two numbers, vectors or matrices. */
export const addTerms = (cx: Context, e: CallExpression, a: Term, b: Term): Term =>
  isScalar(a) && isScalar(b)
    ? compute(cx, e, 'add', a, b)
    : applyOp(cx, e, algebraOp('add')!, [operand(cx, e, a), operand(cx, e, b)]);

const applyOp = (cx: Context, e: CallExpression, op: AlgebraOp, operands: readonly Shaped[]): Term => {
  const shape = resultShape(
    op,
    operands.map((x) => x.shape),
  );
  if (typeof shape === 'string') return refuse(cx, e, 'lang/shape', shape, 'make the sizes agree');
  return unshaped(shape, op.elements(ringAt(cx, e), operands));
};

const operand = (cx: Context, node: AnyNode, term: Term): Shaped => {
  if (isScalar(term) || term.is === 'shaped') return shapedTerm(term);
  if (term.is === 'list' || term.is === 'table') {
    const items = itemsOf(cx, node, term);
    if (areScalars(items)) return { is: 'shaped', shape: [items.length], elements: items };
  }
  return refuse(
    cx,
    node,
    'lang/shape',
    `a number, vector or matrix is wanted here, this is ${termText(term)}`,
    'make one: vec(x, y)',
  );
};
