import type { Loc, Op, ScalarType, TypedArray } from '@filigree/ir';
import type { Affine } from '../../trace/piece.js';
import type { Conjunction } from '../sets/conjunction.js';

/**
 * A program of loops with affine bounds over arrays with affine subscripts, as a list of statements that each write one
 * element. Iterators of a statement are those of the loops around it, outermost first.
 */
export interface AffineProgram {
  readonly name: string;
  readonly arrays: readonly ArrayInfo[];
  /** In the order of the text. */
  readonly statements: readonly Statement[];
}

/** An array of a program: a buffer, or values that a loop carries. */
export interface ArrayInfo {
  readonly name: string;
  readonly type: ScalarType;
  /** Subscripts run from `lower` over `shape`, row by row in the buffer. */
  readonly shape: readonly number[];
  readonly lower: readonly number[];
  readonly role: 'input' | 'output' | 'inout' | 'temp' | 'const' | 'carried';
  /** Contents of a constant array. */
  readonly data?: TypedArray;
}

export interface Access {
  readonly array: string;
  readonly subscripts: readonly Affine[];
}

/** A statement: one element written, for every iteration of its domain. */
export interface Statement {
  readonly name: string;
  readonly iterators: readonly string[];
  /** Disjoint sets of iterations. */
  readonly domain: readonly Conjunction[];
  readonly place: Place;
  readonly write: Access;
  readonly value: Expr;
  /** Where it stands in the source, for diagnostics. */
  readonly loc?: Loc | undefined;
}

/**
 * Where a statement or a load stands: its position in the text at each depth, one more than it has iterators. It runs at
 * the time (place[0], x[0], place[1], x[1], …), and times are ordered lexicographically.
 */
export type Place = readonly number[];

export type Expr =
  | Read
  | { readonly kind: 'number'; readonly value: number; readonly type: ScalarType }
  /** A function of the iterators as a number. */
  | { readonly kind: 'index'; readonly value: Affine; readonly type: ScalarType }
  /** A parameter of the kernel that no size is given for: any number. */
  | { readonly kind: 'parameter'; readonly name: string; readonly type: ScalarType }
  | { readonly kind: 'apply'; readonly op: Op; readonly args: readonly Expr[] }
  | If;

export interface Read extends Access {
  readonly kind: 'read';
  /** Of a load: its number, in the order of the text. */
  readonly load?: number;
  readonly type: ScalarType;
  readonly place: Place;
  readonly loc?: Loc | undefined;
}

/** The sets of `when` and of `otherwise` are the points where the condition holds and where it does not. */
export interface If {
  readonly kind: 'if';
  readonly when: readonly Conjunction[];
  readonly unless: readonly Conjunction[];
  readonly then: Expr;
  readonly otherwise: Expr;
}

/** The reads of an expression, from left to right. */
export const readsOf = (e: Expr): readonly Read[] =>
  e.kind === 'read'
    ? [e]
    : e.kind === 'apply'
      ? e.args.flatMap(readsOf)
      : e.kind === 'if'
        ? [...readsOf(e.then), ...readsOf(e.otherwise)]
        : [];
