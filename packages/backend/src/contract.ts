import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Diagnostics, Module, Pass, ScalarType, TypedArray } from '@filigree/ir';

/**
 * A target as a value. `legalize` and `emit` are pure; everything that touches the machine is in `compile` and `load`.
 * A backend without `compile` or `load` (a cross target) still emits sources.
 */
export interface Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Rewrites lowered kernel IR to what `emit` accepts, or refuses with a diagnostic; never silently changes meaning. */
  readonly legalize: Pass<Module>;
  /** Readable sources of a legal module. The same module gives the same bytes. */
  readonly emit: Pass<Module, Sources>;
  /** Is this backend usable on this machine now, with which toolchain, or why not. */
  readonly probe: () => Promise<Availability>;
  /** Sources to a loadable artifact, through the on-disk cache keyed by content hash of sources, flags and toolchain. */
  readonly compile?: (sources: Sources, options?: CompileOptions) => TaskEither<Diagnostics, Artifact>;
  /** An artifact to something that runs. The module gives buffers, kernels and constant data. */
  readonly load?: (artifact: Artifact, module: Module, options?: LoadOptions) => TaskEither<Diagnostics, Executable>;
}

export interface Capabilities {
  readonly types: readonly ScalarType[];
  readonly threads: boolean;
  /** Scalars that `arith.atomic`-like read-modify-write supports natively. */
  readonly atomics: readonly ScalarType[];
  /** Native vector width in bytes, 0 where the target vectorises by itself or not at all. */
  readonly vectorBytes: number;
  /** Whether floats are multiplied and added in one instruction, so that `math.fma` costs as much as `arith.add`; no unless said. */
  readonly fma?: boolean;
}

export interface Availability {
  readonly name: string;
  readonly usable: boolean;
  /** Why not, with what to install; empty when usable. */
  readonly reason: string;
  /** Compiler and version, empty where none is needed. */
  readonly toolchain: string;
}

export interface Sources {
  readonly backend: string;
  readonly files: readonly SourceFile[];
  /** Where the program is long: the text of `files` in pieces, each complete, that are compiled by themselves and linked. */
  readonly units?: readonly string[];
  /** Arguments of the linker that the sources need, after the objects: `-lblas`. */
  readonly link?: readonly string[];
}

export interface SourceFile {
  readonly name: string;
  readonly language: 'cpp' | 'c' | 'cuda' | 'hip' | 'metal' | 'wasm' | 'wat' | 'text' | 'binary';
  readonly contents: string | Uint8Array;
}

export interface CompileOptions {
  /** Where artifacts are cached; default `$FILIGREE_CACHE_DIR`, else the user's cache folder. `false` turns the cache off. */
  readonly cache?: string | false;
  /** Allows reassociation and contraction (`-ffast-math` and its kin); default true. */
  readonly fastMath?: boolean;
  /** Overrides the toolchain, for example a path to clang++. */
  readonly compiler?: string;
  /** Milliseconds that the compiler may take before it is stopped; default ten minutes. */
  readonly limitMs?: number;
  /** More compiler flags, after the backend's own: `-fsanitize=address,undefined`, `-O1`. They are part of the cache key. */
  readonly flags?: readonly string[];
}

/** What `compile` leaves: files on disk or bytes, whether they came from the cache, and what it cost. */
export interface Artifact {
  readonly backend: string;
  readonly hash: string;
  readonly path?: string;
  readonly bytes?: Uint8Array;
  readonly cached: boolean;
  readonly compileMs: number;
  /** What went less well than it should, such as a cache folder that cannot be written. */
  readonly warnings?: Diagnostics;
}

export interface LoadOptions {
  /** Threads a run uses when it is not told; default 1. */
  readonly threads?: number;
}

/**
 * A loaded module with its memory: every buffer but scratch is a view into one slab, constants are filled in, the rest is
 * zero.
 * Views stay valid until `dispose`.
 */
export interface Executable {
  readonly buffers: Readonly<Record<string, TypedArray>>;
  /** Runs all kernels in module order; returns when they are done. */
  readonly run: (options?: RunOptions) => void;
  /** The same off the main thread where the backend can; buffers must not be written until it resolves. */
  readonly runAsync: (options?: RunOptions) => Promise<void>;
  /** Runs one kernel with its scalar arguments. */
  readonly launch: (kernel: string, args: readonly (number | bigint | boolean)[], options?: RunOptions) => void;
  /** The same off the main thread, for backends that can; buffers must not be written until it resolves. */
  readonly launchAsync?: (
    kernel: string,
    args: readonly (number | bigint | boolean)[],
    options?: RunOptions,
  ) => Promise<void>;
  readonly dispose: () => void;
}

export interface RunOptions {
  readonly threads?: number;
}
