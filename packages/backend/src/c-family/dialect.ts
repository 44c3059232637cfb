import type { ScalarType } from '@filigree/ir';
import type { HelperText } from './helpers/helper.js';
import type { Spellings } from './spellings/spelling.js';
import { cppTokens, type Tokens } from './tokens.js';

/**
 * One language of the C family. The emitter is written once over such a table: C++ is one, and CUDA, HIP and Metal are
 * further ones, with their own intrinsics, pointers and way to start a parallel loop.
 */
export interface CFamilyDialect {
  readonly name: string;
  /** The words of the language; default those of C++. */
  readonly tokens?: Tokens;
  /** What cannot be a name in this language, beside the words of C, C++ and their GPU kin. */
  readonly keywords?: readonly string[];
  /** How a value of each type is declared; a type that is absent is refused by `checkKernels`. */
  readonly scalar: Readonly<Partial<Record<ScalarType, string>>>;
  /** What to do about a type that is absent; default to use another type or another backend. */
  readonly instead?: Readonly<Partial<Record<ScalarType, string>>>;
  /**
   * How a 32-bit integer that only serves as an index is declared, if not as any other: a machine with 64-bit addresses
   * would otherwise extend an index after every sum.
   */
  readonly index?: string;
  /** The helper that declares a vector of floats, and the name of the type; a language without refuses vectors. */
  readonly vector?: (lanes: number, of: ScalarType) => { readonly helper: string; readonly name: string };
  /** How an element of a buffer is declared, where it differs from a value: a truth value takes one byte. */
  readonly stored: Readonly<Partial<Record<ScalarType, string>>>;
  /** How a kernel takes a buffer, up to the parameter's name: `const double* __restrict `. Buffers never overlap. */
  readonly pointer: (stored: string, readOnly: boolean) => string;
  /**
   * The type of a pointer into a buffer: `const double*`. Without it accesses that share an index are written
   * one by one.
   */
  readonly place?: (stored: string, readOnly: boolean) => string;
  /**
   * Lines around a piece of a very long block that is to be compiled for itself and sees all variables of the function.
   * Without it blocks stay whole.
   */
  readonly chunk?: { readonly open: string; readonly close: string };
  /**
   * How the scratch buffers of one function are declared, at the top of the block that they are private to. Without it as
   * arrays on the stack, on a cache line each.
   */
  readonly scratch?: (arrays: readonly ScratchArray[]) => readonly string[];
  /**
   * A helper that returns a 0 whose value the compiler does not know. It is added to addresses if a loop on lanes
   * writes near to what it reads, in languages whose compilers otherwise doubt that its iterations are independent; to the distance of reads of few elements of many, see `sparseReads`; and to
   * indices of loads that conditions choose of two, `x[c ? 0 : 1]`: gcc 12 takes these for the masks in which its lanes keep conditions, and
   * reads beside the buffer.
   */
  readonly unknownZero?: string;
  /**
   * The helper for a product of floats from which something is taken, without its type: `rounded` for `rounded_f64`. It says that the product is rounded, in languages of whose compilers
   * one makes one operation of both though it is told not to.
   */
  readonly rounded?: string;
  /**
   * The helper for a number that a store writes, without its type: `alone` for `alone_f64`. It keeps compilers from making one store of this and its neighbour, of which the next iteration reads a half: a bubble sort takes five
   * times as long then.
   */
  readonly alone?: string;
  /**
   * Whether a function takes the greater or lesser of two floats, `a > b ? a : b`, outside of loops for lanes, and another one, which branches, a minimum or maximum that a serial loop hands on. Written out, g++ moves them through
   * registers of integers where one is in memory: a running maximum takes five times as long.
   */
  readonly extremesByCall?: boolean;
  /** How each op is written; ops that are absent are refused. Add rows to teach the emitter ops of another dialect. */
  readonly spellings: Spellings;
  /** Texts of the helper functions that spellings call, by name; only those used are emitted. */
  readonly helper: (name: string) => HelperText;
  /** What stands before the function of a kernel: `static`, `extern "C" __global__`. */
  readonly local: string;
  /** The head of a kernel's function without the brace, if it is more than that and the parameters; `body` are its lines. */
  readonly head?: (name: string, params: readonly string[], body: readonly string[]) => string | KernelHead;
  /**
   * Lines before a sequential loop whose iterations are independent except for what they accumulate; `lanes` if vector
   * lanes are wanted.
   */
  readonly independent: (lanes: boolean, accumulated: readonly Accumulated[]) => readonly string[];
  /** Lines before an innermost loop that gains nothing by lanes, in languages whose compilers try them on every loop. */
  readonly scalarLoop?: readonly string[];
  /** Lines in a loop that goes on while a condition holds, and is to run off lanes. */
  readonly offLanes?: readonly string[];
  /** Lines before a loop on lanes of few iterations, see `sumsInRows`, in languages whose compilers would write them out. */
  readonly keptLoop?: readonly string[];
  /**
   * How a parallel loop is written. Its iterations go into a function of their own, the *part*, which runs `begin <=
   * trip < end`; this says how the part is declared and how all of it is started.
   */
  readonly part: PartSpelling;
}

/** What a kernel's function begins with. */
export interface KernelHead {
  /** Up to the brace; what it needs may stand before it. */
  readonly text: string;
  /** Statements that make the parameters known by their names, where they are not. */
  readonly first: readonly string[];
}

/** A variable that a loop accumulates, and the helper that combines two of its kind: `reduction_add_f32`. */
export interface Accumulated {
  readonly variable: string;
  readonly helper: string;
}

/** A scratch buffer to be declared. */
export interface ScratchArray {
  readonly name: string;
  readonly stored: string;
  readonly length: number;
  readonly bytes: number;
}

/** Scratch buffers as arrays, on the stack unless `storage` says otherwise. */
export const declareArrays = (
  arrays: readonly ScratchArray[],
  storage = '',
  { aligned }: Tokens = cppTokens,
): readonly string[] => arrays.map((a) => `${aligned(64)} ${storage}${a.stored} ${a.name}[${Math.max(1, a.length)}];`);

/** A parallel loop to be started. */
export interface StartedPart {
  readonly name: string;
  /** The same part without atomic updates, for a single thread; `name` if there is no difference. */
  readonly alone: string;
  readonly args: readonly string[];
  /** How many iterations, as an expression: of 64 bits, or of the type that counts them where threads take them in turns. */
  readonly trips: string;
  /** The number of iterations below which a second thread does not pay, since starting one takes some microseconds. */
  readonly worth: number;
  /** Whether a team runs each iteration. */
  readonly team: boolean;
  /** Whether iterations take very different times. */
  readonly dynamic: boolean;
  /** The most threads worth starting, if the loop says so. */
  readonly threads?: number;
}

/** How a language writes an iteration of a parallel loop that a team runs. */
export interface TeamSpelling {
  /** The number of this thread in its team, and of threads in one. */
  readonly thread: string;
  readonly threads: string;
  /** The number of this team, and of all: they take iterations in turns. */
  readonly number: string;
  readonly teams: string;
  /** The statement at which all threads of a team wait for one another, and see what each wrote. */
  readonly barrier: string;
  /** How an array that the team shares is declared, up to its type. */
  readonly shared: string;
  /** Bytes that a team may share. */
  readonly sharedBytes: number;
  /** Scalars that have atomics in what a team shares; default all. */
  readonly atomics?: readonly ScalarType[];
  /** Where arrays that are shared can only be declared in a kernel's own function: how parts are handed them. */
  readonly handed?: HandedArrays;
}

/** How a part takes what its kernel's function declares. */
export interface HandedArrays {
  /** A pointer into what a team shares, up to the parameter's name. */
  readonly pointer: (stored: string) => string;
  /** What the names of atomics begin with there: pointers into other memory are of another type. */
  readonly atomic: string;
  /** Parameters of a part after its own, in place of `rangeParams` of others. */
  readonly rangeParams: (count: string) => readonly string[];
}

/** How a language writes a parallel loop. */
export interface PartSpelling {
  /** The head of the part's definition, without the brace. */
  readonly head: (name: string, params: readonly string[]) => string;
  /** Lines at the top of the part's body that make `begin` and `end` known, by the type that counts iterations; empty where they are parameters. */
  readonly prologue: (count: string) => readonly string[];
  /** Parameters of the part after its own, by the type that counts iterations. */
  readonly rangeParams: (count: string) => readonly string[];
  /** Statements that run all iterations of a part. */
  readonly start: (part: StartedPart) => readonly string[];
  /** The number of the thread that runs a part, from 0 on, as an expression that does not change meanwhile. */
  readonly thread?: string;
  /** The definition of a part that only several threads run, one beside the other; default as it is. */
  readonly beside?: (text: string) => string;
  /** Helpers that `start` calls. */
  readonly helpers: readonly string[];
  /** How a team of threads runs an iteration; without it one thread does, whatever loops for teams it has. */
  readonly team?: TeamSpelling;
  /**
   * Where all threads of a grid run the kernel: each does every so manieth iteration from `begin` on, an expression. Nobody
   * counts threads there, and no part is for one alone.
   */
  readonly stride?: string;
}
