import type { Either } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Diagnostics, Json, Module, Pass, ScalarType, Watch } from '@filigree/ir';
import type { Executable } from './device/executable.js';
import type { Memory } from './device/memory.js';
import type { OwnLayout, Placement } from './device/placement.js';
import type { LoadOptions } from './device/run-options.js';

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
  /** The same backend, with vectors of so many bytes: for kernels written for `capabilities.vectors`. */
  readonly forVectors?: (bytes: 16 | 32 | 64) => Backend;
  /** Looks at all passes of what is compiled for this backend; `watched` sets it. */
  readonly watch?: Watch;
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
  /** Memory that several programs share. Without it each has its own. */
  readonly sharing?: Sharing;
  /** Where programs that were lowered and compiled before are found before they are lowered again. Without it they are not. */
  readonly bank?: Bank;
  /** An artifact to something that runs, by `executableOf`. The module gives buffers, kernels and constant data. */
  readonly load?: (artifact: Artifact, module: Module, options?: LoadOptions) => TaskEither<Diagnostics, Executable>;
  /** As `load`, at once: for programs that never wait. Only after something was loaded by `load`. */
  readonly loadNow?: (artifact: Artifact, module: Module, options?: LoadOptions) => Either<Diagnostics, Executable>;
  /** How other threads make the same backend, so that they can lower and compile for it. Without it they do not. */
  readonly origin?: Origin;
}

/** A backend that compiles and loads in this process. */
export interface LoadingBackend extends Backend {
  readonly compile: NonNullable<Backend['compile']>;
  readonly load: NonNullable<Backend['load']>;
}

/** What makes a backend again in another thread: a function of a package, called with options that are plain data. */
export interface Origin {
  /** The package, and the address of a file from which it is found. */
  readonly from: string;
  readonly near: string;
  /** What the package exports, and what that is called with. */
  readonly make: string;
  readonly options: object;
  /** Whether a backend still is the one that is made so. */
  readonly serves: (backend: Backend) => boolean;
}

/** What a target can do, for programs and tests to ask before they rely on it. */
export interface Capabilities {
  readonly types: readonly ScalarType[];
  /** Whether doubles, which are none of `types`, are pairs of singles in registers: 48 bits, exponents of a single; default false. */
  readonly pairs?: boolean;
  readonly threads: boolean;
  /** Whether runs in the background let the thread go on that asks for them; default false. */
  readonly background?: boolean;
  /** Scalars on which `mem.atomic` and `mem.cas` run natively. */
  readonly atomics: readonly ScalarType[];
  /** Native vector width in bytes; 0 if the target vectorises by itself or not at all. */
  readonly vectorBytes: number;
  /**
   * Whether floats are multiplied and added in one instruction, so that `math.fma` costs as much as `arith.add`;
   * default false.
   */
  readonly fma?: boolean;
  /**
   * What it costs to load an element of a vector from where its lane says, in operations on floats: loops that compute more than that belong on lanes. Default
   * 0: none do.
   */
  readonly gathers?: number;
  /** Whether sines, exponentials and the other functions of `math` take as long for a vector of floats as for one, if results may differ by rounding; default false. */
  readonly laneFunctions?: boolean;
  /** Whether threads may see what another did to memory in another order, so that what is published wants fences; default false. */
  readonly weakMemory?: boolean;
  /** How work is best divided; default for a processor of a few dozen threads. */
  readonly grain?: Grain;
  /**
   * What the threads of a team have, where a loop for a team is divided among several; so many as `warp` go in step, and teams are of as many or a multiple
   * of it.
   */
  readonly team?: { readonly threads: number; readonly sharedBytes: number; readonly warp: number };
  /** What kernels are best written for that say themselves what is in vectors; default 16 registers of `vectorBytes`. */
  readonly vectors?: VectorUnit;
}

/** How a loop is cut for a target. */
export interface Grain {
  /** Tasks that keep it busy. */
  readonly tasks: number;
  /** Elements below which it does not pay to make more of them, and the most of one. */
  readonly least: number;
  readonly most: number;
  /** Threads that take cells of a pool each for itself, default 64; 1 where so many threads take cells at once that they do it together. */
  readonly hands?: number;
}

/** The vectors of a processor. */
export interface VectorUnit {
  readonly vectorBytes: 16 | 32 | 64;
  readonly registers: 16 | 32;
  /** Whether loads and stores under a mask cost no more than plain ones. */
  readonly masks: boolean;
  /** Bytes of the first-level instruction cache. */
  readonly instructionCache: number;
}

/** Whether a backend can be used on this machine. */
export interface Availability {
  readonly name: string;
  readonly usable: boolean;
  /** Why not, and what to install; empty when usable. */
  readonly reason: string;
  /** Compiler and version, empty where none is needed. */
  readonly toolchain: string;
  /** Whether what does not work was asked for, by a variable such as `FILIGREE_CXX`: then no other backend is to take its place unsaid. */
  readonly asked?: boolean;
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
  /** Entry points that `load` of this backend wants beside those of `files`: text to be compiled behind them, or behind `joint`. */
  readonly loading?: string;
  /** Arguments of the linker that the sources need, after the objects: `-lblas`. */
  readonly link?: readonly string[];
}

/** A generated text file. */
export interface SourceFile {
  readonly name: string;
  readonly language: 'cpp' | 'c' | 'cuda' | 'hip' | 'metal' | 'wasm' | 'wat' | 'text' | 'binary' | (string & {});
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

/**
 * What programs were lowered to, kept beside their artifacts in the same cache and by its rules: an entry that is broken or cannot be
 * written is a warning, and the program is lowered again.
 */
export interface Bank {
  /**
   * Everything beside a module that decides what becomes of it: Filigree's own code, the backend's options, toolchain, flags,
   * processor. Nothing for a backend that is not as it was made, with another `emit` for example: nothing is kept of it. To be asked first: all
   * else but writing is done at once, for programs that never wait.
   */
  readonly identity: (backend: Backend, options: CompileOptions) => Promise<string | undefined>;
  /** The key of an entry that depends on all of these. */
  readonly key: (...parts: readonly string[]) => string;
  readonly read: (key: string, options: CompileOptions) => KeptText;
  /** Keeps a text; what goes wrong is a warning. */
  readonly write: (key: string, text: string, options: CompileOptions) => Promise<Diagnostics>;
  /** The artifact of this hash, where the cache has it whole. */
  readonly artifact: (hash: string, options: CompileOptions) => Artifact | undefined;
}

/** What a bank has under a key, if anything. */
export interface KeptText {
  readonly text?: string;
  readonly warnings: Diagnostics;
}

/** How programs of a backend come to lie in one memory. */
export interface Sharing {
  /** What addresses mean here: memory of another space is refused. */
  readonly space: string;
  /** Memory that programs of this backend can share. Error: `load/memory`. */
  readonly open: (options?: MemoryOptions) => TaskEither<Diagnostics, Memory>;
  /** What a module needs of a memory beside the buffers that are bound. @param threads of its runs, at most, where that counts */
  readonly own: (module: Module, bound: ReadonlySet<string>, threads: number) => OwnLayout;
  /** How code is written that knows its addresses; without it `emit` writes the same for every place. */
  readonly inPlace?: InPlace;
}

/** Code that knows where it is to lie. */
export interface InPlace {
  /** All of a place that its code depends on, as data: another thread may write it. */
  readonly of: (placement: Placement) => Json;
  /** Sources for such a place. */
  readonly emit: (place: Json) => Pass<Module, Sources>;
}

/** How a memory is opened. */
export interface MemoryOptions {
  /** Bytes that it has at the least. It grows, but for WebAssembly without shared memory; there the default is 64 MiB. */
  readonly bytes?: number;
}
