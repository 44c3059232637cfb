import type { ScalarType } from '@filigree/ir';
import type { HelperText } from './helpers.js';
import type { Spellings } from './spellings.js';

/**
 * One language of the C family. The emitter is written once over such a table: C++ is one, and CUDA, HIP and Metal are
 * further ones, with their own intrinsics, pointers and way to start a parallel loop.
 */
export interface CFamilyDialect {
  readonly name: string;
  /** How a value of each type is declared; a type that is absent is refused by `checkKernels`. */
  readonly scalar: Readonly<Partial<Record<ScalarType, string>>>;
  /**
   * How a 32-bit integer that serves as an index and nothing else is declared, where that is not as any other: a machine
   * that addresses with 64 bits would extend an index after every sum.
   */
  readonly index?: string;
  /** The helper that declares a vector of floats, and the name of the type; a language without refuses vectors. */
  readonly vector?: (lanes: number, of: ScalarType) => { readonly helper: string; readonly name: string };
  /** How an element of a buffer is declared, where it differs from a value: a truth value takes one byte. */
  readonly stored: Readonly<Partial<Record<ScalarType, string>>>;
  /** How a kernel takes a buffer, up to the parameter's name: `const double* __restrict `. Buffers never overlap. */
  readonly pointer: (stored: string, readOnly: boolean) => string;
  /**
   * How the scratch buffers of one function are declared, at the top of the block that they are private to. Without it as
   * arrays on the stack, on a cache line each.
   */
  readonly scratch?: (arrays: readonly ScratchArray[]) => readonly string[];
  /**
   * A helper that gives a 0 which the compiler does not know, to be added to where a loop on lanes writes near to where it
   * reads, in languages whose compilers need it to believe that its iterations are independent.
   */
  readonly unknownZero?: string;
  /** How each op is written; ops that are absent are refused. Add rows to teach the emitter ops of another dialect. */
  readonly spellings: Spellings;
  /** Texts of the helper functions that spellings call, by name; only those used are emitted. */
  readonly helper: (name: string) => HelperText;
  /** What stands before a function that only this file uses: `static`, `__device__ static`. */
  readonly local: string;
  /**
   * Lines before a sequential loop whose iterations are independent but for what they accumulate; `lanes` when vector lanes
   * are wanted.
   */
  readonly independent: (lanes: boolean, accumulated: readonly Accumulated[]) => readonly string[];
  /**
   * A parallel loop. Its iterations are put in a function of their own, the *part*, which runs `begin <= trip < end`;
   * here is how the part is declared and how all of it is started.
   */
  readonly part: PartSpelling;
}

/** A variable that a loop accumulates, and the helper that says how two of its kind are combined: `reduction_add_f32`. */
export interface Accumulated {
  readonly variable: string;
  readonly helper: string;
}

export interface ScratchArray {
  readonly name: string;
  readonly stored: string;
  readonly length: number;
  readonly bytes: number;
}

/** Scratch buffers as arrays, on the stack unless `storage` says otherwise. */
export const declareArrays = (arrays: readonly ScratchArray[], storage = ''): readonly string[] =>
  arrays.map((a) => `alignas(64) ${storage}${a.stored} ${a.name}[${Math.max(1, a.length)}];`);

/** A parallel loop that is to be started. */
export interface StartedPart {
  readonly name: string;
  /** The same part without atomic updates, for one thread alone; `name` where there is no difference. */
  readonly alone: string;
  readonly args: readonly string[];
  /** An expression of type 64-bit integer. */
  readonly trips: string;
  /** Iterations below which more than one thread does not pay, for a start of a thread that takes some microseconds. */
  readonly worth: number;
  /** Iterations take very different time. */
  readonly dynamic: boolean;
  /** Threads that are worth it at most, where the loop says so. */
  readonly threads?: number;
}

export interface PartSpelling {
  /** The head of the part's definition, without the brace. */
  readonly head: (name: string, params: readonly string[]) => string;
  /** Lines at the top of the part's body that make `begin` and `end` known; empty where they are parameters. */
  readonly prologue: readonly string[];
  /** Parameters of the part after its own. */
  readonly rangeParams: readonly string[];
  /** Statements that run all iterations of a part. */
  readonly start: (part: StartedPart) => readonly string[];
  /** Helpers that `start` calls. */
  readonly helpers: readonly string[];
}
