import type { Access } from './access.js';
import type { Control } from './control.js';
import type { Attrs, Buffer, Op, Region, TypedArray, Value } from './op.js';
import type { ValueRange } from '../range/real.js';
import type { OwnType, ScalarType, Type } from './type.js';

/** The buffers of a module by bare name. */
export type Buffers = ReadonlyMap<string, Buffer>;

/** What an op does to memory. `buffer` is the bare buffer name; absent means "any". Passes ask, never guess. */
export interface Effect {
  readonly kind: 'read' | 'write' | 'atomic' | 'allocate' | 'free' | 'io';
  readonly buffer?: string;
}

/** A scalar at run time in the interpreter: i64 and u64 are bigint, i1 is boolean, all else number. Vectors are arrays. */
export type Scalar = number | bigint | boolean;
/** A value at run time in the interpreter: a scalar, or the array of the lanes of a vector. */
export type RuntimeValue = Scalar | readonly Scalar[] | OwnValue;

/** A value of a type of one's own: whatever the ops of its dialect make of it. */
export interface OwnValue {
  readonly own: unknown;
}

/**
 * The state of a scratch buffer on the machine. An element is defined if it was written at the current time; the time
 * advances when an iteration of an outermost parallel loop begins and when such a loop ends.
 */
export interface ScratchState {
  readonly clock: { readonly now: number };
  readonly written: Float64Array;
}

/** How an evaluator reaches the machine it runs on. */
export interface Machine {
  /** The contents of a buffer, by bare name. */
  buffer(name: string): TypedArray;
  /** Runs a region with these parameters and returns the operands of its terminator. */
  region(region: Region, args: readonly RuntimeValue[]): readonly RuntimeValue[];
  /** Which elements of a scratch buffer hold what was written in this iteration; absent for all other buffers. */
  scratch?(name: string): ScratchState | undefined;
  /** Says that the op cannot be carried out: an index out of bounds, a division by zero. Never returns. */
  trap(op: Op, message: string): never;
}

/** An op bound to the machine it runs on: a plain function of its operands. */
export type BoundOp = (a: RuntimeValue, b: RuntimeValue, c: RuntimeValue) => RuntimeValue;

/** What a fold may see and do at the place of the op that it looks at. */
export interface FoldContext {
  /** Floats may be treated as real numbers. */
  readonly fastMath: boolean;
  /** The scalar that a value always is here, or all its lanes. */
  readonly constantOf: (v: Value) => Scalar | undefined;
  /** The op that gives the value, as it is now; nothing for a region parameter. */
  readonly defOf: (v: Value) => Op | undefined;
  /** A constant, or a vector with this constant in every lane. */
  readonly constant: (value: Scalar, type: Type) => Value;
  /** The result of a new one-result op here, itself folded. */
  readonly build: (name: string, operands: readonly Value[], type: Type, attrs?: Attrs) => Value;
}

/**
 * The value that replaces the one result of an op, or nothing: equal to the last bit, unless `fastMath` says that reals will do. Ops on
 * constants alone need none, since they are evaluated; the constant of a commutative op is its second operand by then.
 */
export type Fold = (op: Op, context: FoldContext) => Value | undefined;

/** All there is to know about one op; an entry in a dialect's table is all it takes to add one. */
export interface OpDef {
  readonly name: string;
  /** One line for the reference manual. */
  readonly summary: string;
  /**
   * Problems with this op, as messages: operand count and types, attributes, regions. Empty when well-formed.
   * Dominance, unique ids, known buffers and terminators are checked by the verifier for all ops alike.
   */
  readonly verify: (op: Op, buffers: Buffers) => readonly string[];
  /** Result types from operand types and attributes, for builders; region ops state theirs from their terminator. */
  readonly resultTypes: (
    operands: readonly Value[],
    attrs: Op['attrs'],
    regions: Op['regions'],
    buffers: Buffers,
  ) => readonly Type[];
  /** Effects of the op itself, not of ops in its regions; none means pure. */
  readonly effects: (op: Op) => readonly Effect[];
  /** The meaning of the op. */
  readonly evaluate: (op: Op, args: readonly RuntimeValue[], machine: Machine) => readonly RuntimeValue[];
  /**
   * The same meaning, with everything that depends on the op alone (types, attributes, buffers) decided once. The
   * interpreter prefers it, since it runs an op many times. For ops of at most three operands, one result or none, and
   * no regions; what a result-less op returns is ignored.
   */
  readonly bind?: (op: Op, machine: Machine) => BoundOp;
  /**
   * How control flows through the regions of an op that has some. Without it a pass must expect anything of them: that they run in any
   * order, ever so often. The verifier holds each op to it.
   */
  readonly control?: (op: Op) => Control;
  /** Which elements of which buffers an op touches, in the order in which it does; none where its operands do not say. */
  readonly accesses?: (op: Op) => readonly Access[];
  /**
   * What the one result may be, a scalar of this type, where its operands are in these ranges: those of vectors are absent, and those of floats that nobody asks
   * for. Of a float it is a range of reals. Nothing where no more is known than the type says.
   */
  readonly range?: (op: Op, operands: readonly (ValueRange | undefined)[], type: ScalarType) => ValueRange | undefined;
  /** A simpler value for the one result of an op without regions; `canonicalize` asks for it. */
  readonly fold?: Fold;
  readonly traits: OpTraits;
}

/** What passes may rely on about an op, beside its effects. */
export interface OpTraits {
  readonly commutative?: boolean;
  readonly associative?: boolean;
  /** Ends a region. */
  readonly terminator?: boolean;
  /** Has no operands and always the same result. */
  readonly constant?: boolean;
  /** Element-wise: on vectors does lane by lane what it does on scalars. */
  readonly elementwise?: boolean;
  /** May trap (integer division), so it must not be moved to where it did not run before. */
  readonly mayTrap?: boolean;
  /** Has no meaning but matters where it stands (a prefetch, a promise): it must be neither dropped nor moved. */
  readonly hint?: boolean;
}

/** A type of one's own, as its dialect defines it. */
export interface OwnTypeDef {
  /** `dialect.name`, as `OwnType` has it. */
  readonly name: string;
  /** One line for the reference manual. */
  readonly summary: string;
  /** Problems with the arguments, as messages; none where it takes any. */
  readonly verify?: (args: OwnType['args']) => readonly string[];
}

/** A set of ops, and of types, as a value. Functions receive the dialects they should know; there is no global registry. */
export interface Dialect {
  readonly name: string;
  readonly ops: Readonly<Record<string, OpDef>>;
  /** Types of one's own, by name. */
  readonly types?: Readonly<Record<string, OwnTypeDef>>;
}
