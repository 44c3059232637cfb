import { type Op, type ScalarType, type Value, lanesOf, scalarOf } from '@filigree/ir';
import type { Expr } from '../expr.js';
import type { Extreme } from '../extremes.js';
import type { Tokens } from '../tokens.js';

/** What a spelling may ask about the place where its op stands. */
export interface Site {
  /** Records that a helper is called and returns its name. */
  readonly helper: (name: string) => string;
  readonly tokens: Tokens;
  readonly scalar: (t: ScalarType) => string;
  /** The type that a value is declared with. */
  readonly declared: (v: Value) => string;
  /** The element of a buffer, by bare name, at an index. */
  readonly element: (buffer: string, index: Expr) => Expr;
  /** A buffer, by bare name, as a pointer to its first element. */
  readonly pointer: (buffer: string) => string;
  /** The type that an element of a buffer, by bare name, is declared with. */
  readonly stored: (buffer: string) => string;
  /** The name of the flag that a trap sets; asking for it records that it is used. */
  readonly status: () => string;
  /** Whether overflow of this signed integer must wrap; in C it is undefined. */
  readonly wraps: (v: Value) => boolean;
  /** Whether anything uses a value. */
  readonly used: (v: Value) => boolean;
  /** The constant that a value is, if it is one. */
  readonly constant: (v: Value) => Op['attrs'][string] | undefined;
  /**
   * Whether a value is computed in a loop that is to run on vector lanes, and does not depend on what the loop
   * accumulates.
   */
  readonly onLanes: (v: Value) => boolean;
  /** Whether a value is one for all lanes of such a loop. */
  readonly sameOnLanes: (v: Value) => boolean;
  /** What is added to the address when a buffer is written, see `unknownZero`. */
  readonly apart: (buffer: string) => string | undefined;
  /** An index of a load, whose value is given: with what is added to one that conditions choose of two, or whose distance compilers are not to know, see `unknownZero`. */
  readonly index: (v: Value, index: Expr) => Expr;
  /** A product of floats as it is written, see `rounded`. */
  readonly product: (v: Value, product: Expr) => Expr;
  /** Of a choice between two floats by how they compare, whether the first is taken where it is above or below the second, if a function is to say so, see `extremesByCall`. */
  readonly extreme: (v: Value) => Extreme | undefined;
  /** Of a minimum or maximum that a serial loop hands on, which operand depends on the one before, if a function is to branch on it. */
  readonly recurrence: (v: Value) => 0 | 1 | undefined;
  /** A number as a store writes it: through a function where it is not to become one with what is stored beside, see `alone` of a dialect. */
  readonly alone: (store: Op, value: Expr) => Expr;
  /** What the names of read-modify-writes of a buffer begin with: `serial`, or `atomic` where other threads may access the same element at this time. */
  readonly update: (buffer: string) => string;
  /** The number of the thread that runs this, not negative; undefined where that is 0 or the language does not say. */
  readonly thread: () => string | undefined;
  /** How the team is told of itself that runs this, where one does. */
  readonly team: () => { readonly thread: string } | undefined;
}

/**
 * How an op with at most one result is written as an expression. A `pure` one may be written where it is used, and so
 * may a `read` one if nothing is written in between; an `effect` stays in place, and so does a `fixed` one, which
 * writes nothing.
 */
export interface Spelling {
  readonly effect: 'pure' | 'read' | 'fixed' | 'effect' | ((op: Op, site: Site) => 'pure' | 'fixed' | 'effect');
  /** The buffers that an op uses, by bare name, if not the one named by its attribute `buffer`. */
  readonly buffers?: (op: Op) => { readonly read: readonly string[]; readonly written: readonly string[] };
  readonly write: (op: Op, args: readonly Expr[], site: Site) => Expr;
}

/** Spellings by op name. */
export type Spellings = Readonly<Record<string, Spelling>>;

/** An expression that may be written where it is used. */
export const pure = (write: Spelling['write']): Spelling => ({ effect: 'pure', write });

/** The scalar type of a result, or of what is stored. */
export const typeOf = (op: Op): ScalarType => scalarOf((op.results[0] ?? op.operands[0]!).type);

/** Whether the result of an op is a vector. */
export const isOnLanes = (op: Op): boolean => lanesOf(op.results[0]!.type) > 1;

/** A helper for whole vectors of the type of a value: `loadx8_f32`. Truth values are words there. */
export const onVectors = (what: string, v: Value, site: Site): string =>
  site.helper(`${what}x${lanesOf(v.type)}_${isTruth(v) ? 'i32' : scalarOf(v.type)}`);

export const isTruth = (v: Value): boolean => scalarOf(v.type) === 'i1';
