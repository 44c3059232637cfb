import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Diagnostics, Module, Pass, ScalarType, TypedArray } from '@filigree/ir';

/**
 * A target as a value. `legalize` and `emit` are pure; everything that touches the machine is in `compile` and `load`.
 * A backend without `compile` or `load` (a cross target) still emits sources.
 */
export interface Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * Rewrites lowered kernel IR to what `emit` accepts, or refuses with a diagnostic; never silently changes meaning. Of the
   * buffers it may drop what nothing reads: those of kernels alone, and inputs.
   */
  readonly legalize: Pass<Module>;
  /** Readable sources of a legal module. The same module gives the same bytes. */
  readonly emit: Pass<Module, Sources>;
  /** Is this backend usable on this machine now, with which toolchain, or why not. */
  readonly probe: () => Promise<Availability>;
  /** Sources to a loadable artifact, through the on-disk cache keyed by content hash of sources, flags and toolchain. */
  readonly compile?: (sources: Sources, options?: CompileOptions) => TaskEither<Diagnostics, Artifact>;
  /**
   * Begins to compile what will be part of a longer program (`Sources.lasting`), so that compilers work while the rest is
   * still being lowered; `compile` of the whole takes what it finds begun. Resolves when that has been started, which is
   * soon. What goes wrong is said when the whole is compiled.
   */
  readonly ahead?: (sources: Sources, options?: CompileOptions) => Promise<void>;
  /** An artifact to something that runs. The module gives buffers, kernels and constant data. */
  readonly load?: (artifact: Artifact, module: Module, options?: LoadOptions) => TaskEither<Diagnostics, Executable>;
}

/** What a target can do, for programs and tests to ask before they rely on it. */
export interface Capabilities {
  readonly types: readonly ScalarType[];
  readonly threads: boolean;
  /** Scalars on which `mem.atomic` and `mem.cas` run natively. */
  readonly atomics: readonly ScalarType[];
  /** Native vector width in bytes; 0 if the target vectorises by itself or not at all. */
  readonly vectorBytes: number;
  /**
   * Whether floats are multiplied and added in one instruction, so that `math.fma` costs as much as `arith.add`;
   * default false.
   */
  readonly fma?: boolean;
}

/** Whether a backend can be used on this machine. */
export interface Availability {
  readonly name: string;
  readonly usable: boolean;
  /** Why not, and what to install; empty when usable. */
  readonly reason: string;
  /** Compiler and version, empty where none is needed. */
  readonly toolchain: string;
}

/** What `emit` gives: the files to compile. */
export interface Sources {
  readonly backend: string;
  readonly files: readonly SourceFile[];
  /** For long programs: the text of `files` in pieces, each complete in itself, to be compiled separately and linked. */
  readonly units?: readonly string[];
  /** Those pieces that are the same in a longer program; they are there even if the program is too short for `units`. */
  readonly lasting?: readonly string[];
  /** The entry points, which call the units: one more piece to be compiled and linked with them. */
  readonly joint?: string;
  /** Arguments of the linker that the sources need, after the objects: `-lblas`. */
  readonly link?: readonly string[];
}

/** A generated text file. */
export interface SourceFile {
  readonly name: string;
  readonly language: 'cpp' | 'c' | 'cuda' | 'hip' | 'metal' | 'wasm' | 'wat' | 'text' | 'binary';
  readonly contents: string | Uint8Array;
}

/** How sources are compiled. */
export interface CompileOptions {
  /** Where artifacts are cached; default `$FILIGREE_CACHE_DIR`, else the user's cache folder. `false` turns the cache off. */
  readonly cache?: string | false;
  /**
   * What a compiler may do to floating-point arithmetic: nothing that changes a bit (`false`); only multiply and add with one
   * rounding (`'contract'`); that, sums and products in another order, and division by reciprocals (`true`, the default).
   */
  readonly fastMath?: boolean | 'contract';
  /**
   * For programs that run on one thread: code for several is left out, which compilers then need not look at, and a run
   * on several threads is one on one. Default false.
   */
  readonly oneThread?: boolean;
  /** Overrides the toolchain, for example a path to clang++. */
  readonly compiler?: string;
  /** Milliseconds that the compiler may take before it is stopped; default ten minutes. */
  readonly limitMs?: number;
  /** More compiler flags, after the backend's own: `-fsanitize=address,undefined`, `-O1`. They are part of the cache key. */
  readonly flags?: readonly string[];
}

/** The result of `compile`: files on disk or bytes, whether they came from the cache, and what that cost. */
export interface Artifact {
  readonly backend: string;
  readonly hash: string;
  readonly path?: string;
  readonly bytes?: Uint8Array;
  readonly cached: boolean;
  readonly compileMs: number;
  /** What did not go as well as it should, such as a cache folder that cannot be written. */
  readonly warnings?: Diagnostics;
}

/** How an artifact is loaded. */
export interface LoadOptions {
  /** Threads of a run that does not say otherwise; default 1. */
  readonly threads?: number;
}

/**
 * A loaded module with its memory: every buffer except scratch is a view into one slab; constants are filled in,
 * everything else is zero. Views stay valid until `dispose`.
 */
export interface Executable {
  readonly buffers: Readonly<Record<string, TypedArray>>;
  /** Runs all kernels in module order; returns when they are done. */
  readonly run: (options?: RunOptions) => void;
  /** As `run`, but off the main thread where the backend can; buffers must not be written until it resolves. */
  readonly runAsync: (options?: RunOptions) => Promise<void>;
  /** Runs one kernel with its scalar arguments. */
  readonly launch: (kernel: string, args: readonly (number | bigint | boolean)[], options?: RunOptions) => void;
  /** As `launch`, but off the main thread, for backends that can; buffers must not be written until it resolves. */
  readonly launchAsync?: (
    kernel: string,
    args: readonly (number | bigint | boolean)[],
    options?: RunOptions,
  ) => Promise<void>;
  readonly dispose: () => void;
}

/** How a run is executed. */
export interface RunOptions {
  /** Threads for this run; default those of `LoadOptions`. */
  readonly threads?: number;
}
