import { checkOptions, option, type OptionSpec, optionKind } from '@filigree/ir';
import type { BooleanTensor } from '@filigree/sparse/eqspp';
import { ONE, plus, scaled, times } from './build.js';
import type { Assignment, Coefficient, Expr, KernelDecl, LayoutKind, TensorDecl } from './expression.js';

/** What is known about a tensor beside its name and shape. */
export interface TensorOptions {
  /** Which entries may be non-zero; absent: all. */
  readonly pattern?: BooleanTensor;
  /** Values of all entries, column-major, if they are known when code is generated. */
  readonly values?: ArrayLike<number>;
  /** How it lies in memory; default the bounding box of its pattern. */
  readonly layout?: LayoutKind;
}

/** A tensor that takes a letter for each dimension: `K('kl')`. */
export interface Tensor {
  (indices: string): IndexedTerm;
  readonly decl: TensorDecl;
}

/**
 * A tensor of a name and a shape (§4.1). Nothing is checked here: `planKernel` says what is wrong with it, all at once.
 *
 * @param name an identifier, or a member of a family: `kDivM(0)`
 * @param shape extents, the fastest dimension first; `[]` is a number
 */
export const tensor = (name: string, shape: readonly number[], options?: TensorOptions): Tensor => {
  const { pattern, values, layout } = checkOptions('tensor', options, tensorSpec);
  const decl: TensorDecl = {
    name,
    shape: [...shape],
    ...(pattern ? { pattern } : {}),
    ...(values ? { values: Float64Array.from(values) } : {}),
    ...(layout ? { layout } : {}),
  };
  return tensorOf(decl);
};

const tensorSpec: OptionSpec<TensorOptions> = {
  pattern: option.object('a pattern: { shape, bits }'),
  values: option.array('a list of numbers'),
  layout: option.text,
};

/** The tensor of a declaration. */
export const tensorOf = (decl: TensorDecl): Tensor =>
  Object.freeze(Object.assign((indices: string) => new IndexedTerm(decl, indices), { decl }));

/** Tensors that share a name up to an index: `family('kDivM', 3, …)[0]` is `kDivM(0)`. */
export const family = (name: string, count: number, member: (index: number) => TensorMember): readonly Tensor[] =>
  Array.from({ length: count }, (_, i) => {
    const { shape, ...options } = member(i);
    return tensor(`${name}(${i})`, shape, options);
  });

/** What a family says about one member. */
export interface TensorMember extends TensorOptions {
  readonly shape: readonly number[];
}

/** A number that is given when the kernel runs. */
export interface Scalar {
  readonly scalar: string;
}

/** A number of this name that is given when the kernel runs. */
export const scalar = (name: string): Scalar => ({ scalar: name });

/** A right-hand side. Immutable: every operation returns another term. */
export class Term {
  constructor(readonly expr: Expr) {}

  /** The sum of two terms. */
  add(other: Term): Term {
    return new Term(plus(this.expr, other.expr));
  }

  /** The difference of two terms. */
  sub(other: Term): Term {
    return new Term(plus(this.expr, scaled({ factor: -1, scalars: [] }, other.expr)));
  }

  /** The product, summed over the indices that appear twice and that the target lacks. */
  mul(other: Term): Term {
    return new Term(times(this.expr, other.expr));
  }

  /** The term times a number or a scalar. */
  scale(by: number | Scalar): Term {
    return new Term(scaled(coefficient(by), this.expr));
  }
}

/** A tensor with its indices: a term, and what can be assigned to. */
export class IndexedTerm extends Term {
  constructor(
    readonly tensor: TensorDecl,
    readonly indices: string,
  ) {
    super({ kind: 'indexed', tensor, indices });
  }

  /** `target = value` */
  assign(value: Term): Assignment {
    return { target: { tensor: this.tensor, indices: this.indices }, add: false, value: value.expr };
  }

  /** `target += value` */
  accumulate(value: Term): Assignment {
    return { target: { tensor: this.tensor, indices: this.indices }, add: true, value: value.expr };
  }
}

/** The sum of one or more terms. */
export const sum = (terms: readonly Term[]): Term => terms.reduce((a, b) => a.add(b));

/** What a kernel is told beside its assignments. */
export interface KernelOptions {
  /** Tensors that the next call will read (§4.6). */
  readonly prefetch?: readonly Tensor[];
}

/** A kernel of one or more assignments, one after another. */
export const kernel = (
  name: string,
  assignments: Assignment | readonly Assignment[],
  options?: KernelOptions,
): KernelDecl => {
  const { prefetch } = checkOptions<KernelOptions>('kernel', options, { prefetch: option.list(isTensor) });
  return {
    name,
    assignments: isList(assignments) ? [...assignments] : [assignments],
    ...(prefetch ? { prefetch: prefetch.map((t) => t.decl) } : {}),
  };
};

const isTensor = optionKind('what tensor() makes', (t) => typeof t === 'function' && 'decl' in t);

const isList = (a: Assignment | readonly Assignment[]): a is readonly Assignment[] => Array.isArray(a);

const coefficient = (by: number | Scalar): Coefficient =>
  typeof by === 'number' ? { factor: by, scalars: [] } : { ...ONE, scalars: [by.scalar] };
