import type { Loc } from '../diagnostics/diagnostic.js';
import type { ScalarType, Type } from './type.js';

/** An SSA value: defined once, by an op's result or a region's parameter; `id` is unique within its kernel. */
export interface Value {
  readonly id: number;
  readonly type: Type;
  /** A name for people: printed, never compared. */
  readonly hint?: string;
}

/** What an attribute may hold: JSON. A buffer is referred to by its name as `'@name'`. */
export type Attr = number | string | boolean | readonly Attr[];
/** The attributes of an op or kernel, by name. */
export type Attrs = Readonly<Record<string, Attr>>;

/** The one shape of every operation, whatever its dialect. */
export interface Op {
  /** `dialect.op`, for example `arith.add`. */
  readonly name: string;
  readonly operands: readonly Value[];
  readonly results: readonly Value[];
  readonly attrs: Attrs;
  readonly regions: readonly Region[];
  readonly loc?: Loc;
}

/** One block: control flow is structured, so a region never has a second. Its last op is its terminator, where its owner wants one. */
export interface Region {
  readonly params: readonly Value[];
  readonly ops: readonly Op[];
}

/** A unit of launch. The kernels of a module run in the order in which they stand, unless a scheduler reorders them. */
export interface Kernel {
  readonly name: string;
  readonly params: readonly Value[];
  readonly body: Region;
  readonly attrs: Attrs;
}

/**
 * A named array of one scalar type. An `input` is written by the host, an `output` read by it, an `inout` both; a
 * `temp` belongs to the program alone; a `const` has `data` that never changes.
 *
 * A `scratch` buffer is private: each iteration of an outermost parallel loop has its own copy, and so has each stretch
 * of serial code before, between and after those loops. Its elements are undefined when the iteration or stretch
 * begins; reading one before it is written traps where that is detected, as in the interpreter. The host has no view of
 * it, and it takes at most `SCRATCH_BYTES`.
 */
export interface Buffer {
  readonly name: string;
  readonly type: ScalarType;
  readonly length: number;
  readonly role: 'input' | 'output' | 'inout' | 'temp' | 'const' | 'scratch';
  /**
   * Buffers that name the same memory start at the same address and share its bytes: an arena whose cells hold values
   * of several types. A program accesses each byte through one of them only, so passes and compilers may treat them as
   * distinct.
   */
  readonly memory?: string;
  /** The contents of a `const` buffer, as the typed array of `type`; never written after construction. */
  readonly data?: TypedArray;
}

/** Bytes that one scratch buffer may take: what a core's nearest cache or a GPU's shared memory can hold. */
export const SCRATCH_BYTES = 65536;

/** The contents of a buffer: the typed array of its scalar type (`arrayConstructor`). */
export type TypedArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;
