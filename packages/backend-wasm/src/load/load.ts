import type { Either } from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Artifact } from '@filigree/backend';
import {
  type Executable,
  type Launches,
  type Library,
  type LoadOptions,
  type Placement,
  executableOf,
  launchesOf,
  placeAlone,
} from '@filigree/backend/device';
import { loadSpec } from '@filigree/backend/options';
import {
  type Diagnostics,
  type Module,
  attempt,
  checkOptions,
  error,
  fail,
  formatDiagnostic,
  orLeft,
} from '@filigree/ir';
import { exportName } from '../memory/export-name.js';
import { ownMemoryLayout } from '../memory/own-memory.js';
import { type MemoryLayout, layoutIn, placeData } from '../memory/layout.js';
import { libraryOf } from './library.js';
import { ownMemory, webMemoryOf } from './memory.js';
import { mathImports } from './script.js';

/**
 * Instantiates an artifact over its memory. Runs and launches throw `DiagnosticError`: `run/…` on misuse, `run/trap`
 * when a kernel divided an integer by zero or the like; its results are then not to be used. Errors of loading: `load/…`, `wasm/…`.
 */
export const loadArtifact = (
  artifact: Artifact,
  module: Module,
  given: LoadOptions | undefined,
  shared: boolean,
): TaskEither<Diagnostics, Executable> =>
  attempt(() => {
    const options = checkOptions('load', given, loadSpec);
    return loaded(executableOf, bytesOf(artifact), module, options, () => placeOf(module, options, shared));
  });

/** The same at once, where engines allow that: in Node, and of small modules elsewhere. */
export const loadArtifactNow = (
  artifact: Artifact,
  module: Module,
  given: LoadOptions | undefined,
  shared: boolean,
): Either<Diagnostics, Executable> =>
  orLeft(() => {
    const options = checkOptions('load', given, loadSpec);
    const code = orExplain(() => new WebAssembly.Module(bytesOf(artifact) as Uint8Array<ArrayBuffer>));
    const place = placeOf(module, options, shared);
    const instance = orExplain(() => new WebAssembly.Instance(code, importsOf(place)));
    return over(executableOf, module, options, code, instance, place);
  });

const bytesOf = ({ bytes }: Artifact): Uint8Array =>
  bytes ?? fail('load/artifact', 'the artifact has no bytes', { remedy: "pass what this backend's compile made" });

/**
 * The same of the bytes of an artifact, for launches alone: what runs them needs no compiler beside it. The module is asked for buffers,
 * kernels and their parameters only.
 */
export const loadCode = (bytes: Uint8Array, module: Module, options: LoadOptions, shared: boolean): Promise<Launches> =>
  loaded(launchesOf, bytes, module, options, () => alone(module, options, shared));

const loaded = async <A>(
  make: (module: Module, library: Library, options: LoadOptions) => A,
  bytes: Uint8Array,
  module: Module,
  options: LoadOptions,
  placed: () => Laid,
): Promise<A> => {
  const code = await compiled(bytes);
  const place = placed();
  return over(make, module, options, code, await instantiated(code, importsOf(place)), place);
};

/** Where a module lies, and how it is laid out there. */
interface Laid {
  readonly placement: Placement;
  readonly layout: MemoryLayout;
}

/* In memory of its own, or in its place among others: what runs artifacts in a page has no need of the latter. */
const placeOf = (module: Module, options: LoadOptions, shared: boolean): Laid => {
  const { placement } = options;
  if (!placement) return alone(module, options, shared);
  noteThreads(options, shared);
  return { placement, layout: layoutIn(module, placeData(placement)) };
};

const alone = (module: Module, options: LoadOptions, shared: boolean): Laid => {
  noteThreads(options, shared);
  const layout = ownMemoryLayout(module);
  const slab = { offsetOf: layout.offsetOf, bytes: layout.pages * 65536 };
  return { placement: placeAlone(module, ownMemory(layout, shared), slab), layout };
};

const over = <A>(
  make: (module: Module, library: Library, options: LoadOptions) => A,
  module: Module,
  options: LoadOptions,
  code: WebAssembly.Module,
  instance: WebAssembly.Instance,
  { placement, layout }: Laid,
): A => {
  checkArtifact(module, layout, instance);
  return make(module, libraryOf(module, code, instance, placement, layout), options);
};

const importsOf = ({ placement }: Laid): WebAssembly.Imports => ({
  filigree: { memory: webMemoryOf(placement.memory) },
  math: mathImports(),
});

/* Once, and where people look: a program that runs slower than it was asked to is no failure. */
const noteThreads = ({ threads = 1 }: LoadOptions, shared: boolean): void => {
  if (shared || threads <= 1 || said.oneThread) return;
  said.oneThread = true;
  const alone = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === false;
  const problem = error('wasm/one-thread', 'programs run on one thread here: their memory cannot be shared', {
    remedy: alone
      ? 'let the server send Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp'
      : 'make the backend, or the artifact, for threads: wasm({ shared: true }), --threads 2',
  });
  // oxlint-disable-next-line no-console -- the page's console is where it is looked for
  console.warn(formatDiagnostic({ ...problem, severity: 'warning' }));
};

const said = { oneThread: false };

/* Code that was made for another place would write over other programs. */
const checkArtifact = (module: Module, layout: MemoryLayout, { exports }: WebAssembly.Instance): void => {
  const valueOf = (name: string): unknown => (exports[name] as WebAssembly.Global | undefined)?.value as unknown;
  const missing = module.kernels.some((k) => !(exportName(k.name) in exports));
  if (missing || valueOf('pages') !== layout.pages || valueOf('at') !== layout.at)
    fail('load/artifact', `the artifact was not made from module '${module.name}'`, {
      remedy: 'load it with the module that was emitted',
    });
};

/** Bytes to code. Errors: `wasm/compile`, `wasm/policy`. */
const compiled = (bytes: Uint8Array): Promise<WebAssembly.Module> =>
  WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>).catch(explain);

const instantiated = (code: WebAssembly.Module, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> =>
  WebAssembly.instantiate(code, imports).catch(explain);

const orExplain = <A>(make: () => A): A => {
  try {
    return make();
  } catch (e) {
    return explain(e);
  }
};

const explain = (e: unknown): never => {
  if (e instanceof WebAssembly.LinkError)
    return fail('load/artifact', `the artifact does not fit the module: ${e.message}`, {
      remedy: 'load it with the module that was emitted',
    });
  if (!(e instanceof WebAssembly.CompileError)) throw e;
  if (/content security policy|\bCSP\b|unsafe-eval/i.test(e.message))
    return fail('wasm/policy', 'the content policy of this page forbids WebAssembly', {
      remedy: "add 'wasm-unsafe-eval' to script-src of its Content-Security-Policy",
    });
  return fail('wasm/compile', `the WebAssembly engine refuses the module: ${e.message}`, {
    remedy:
      'if a function is too large, split the kernel or do not unroll it; else clear the cache folder and compile again',
  });
};
