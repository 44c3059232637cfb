import {
  type Diagnostics,
  type Extension,
  type Module,
  type OptionSpec,
  type Watch,
  DiagnosticError,
  attempt,
  checkOptions,
  fail,
  option,
  pass,
  pipeline,
  verifyModule,
  orThrow,
} from '@filigree/ir';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { checkKernels } from '../c-family/check-kernels.js';
import { withExtensions } from '../c-family/with-extensions.js';
import type { Artifact, Availability, Backend, CompileOptions, Grain, Sources } from '../contract.js';
import { executableOf } from '../device/executable.js';
import { placeModule } from '../device/placement.js';
import { loadSpec } from '../device/run-options.js';
import { dialectsOf, expandSpellings } from '../extension/expand.js';
import { scalarizeVectorsOver } from '../legalize/scalarize.js';
import { layoutSlab } from '../slab/layout.js';
import { atomicsInStep } from './atomics-in-step.js';
import { checkAtomics } from './check-atomics.js';
import type { GpuDriver } from './driver.js';
import { emitGpu } from './emit.js';
import { type GpuLanguage, blockSize } from './language.js';
import { gpuLibrary } from './library.js';
import { gpuMemory } from './memory.js';
import { pairDialect } from './pairs/dialect.js';
import { pairsOfSingles } from './pairs/pairs-of-singles.js';
import { gpuPrograms } from './program.js';
import { serialAtomics } from './serial-atomics.js';
import { teamsOfLanes } from './teams-of-lanes.js';
import type { Timed } from './timed.js';

/** What a backend for a GPU has of the machine. Without a driver it compiles only, and without that it emits only. */
export interface GpuMachine {
  readonly probe: () => Promise<Availability>;
  readonly compile?: (sources: Sources, options?: CompileOptions) => TaskEither<Diagnostics, Artifact>;
  /** The driver, opened once. Rejects with a diagnostic where there is none. */
  readonly driver?: () => Promise<GpuDriver>;
  /** Whether a list of launches that runs again as it was is begun as a graph; default false. */
  readonly graphs?: boolean;
  /** Is told what each launch took on the device, when the run that it is part of is done. Launches are then no graph. */
  readonly timed?: Timed | undefined;
  /** Whether launches run beside the thread that begins them, so that `runAsync` lets it go on (`Capabilities.background`); default false. */
  readonly background?: boolean;
}

/** How modules are written. */
export interface GpuOptions {
  /** Check every index at run time: an index out of bounds is then a diagnostic. Default false. */
  readonly checked?: boolean;
  /** Those whose ops modules may have, beside the core ones, and how they are written. */
  readonly extensions?: readonly Extension[];
}

/** What the options of a backend for a GPU take. */
export const gpuSpec: OptionSpec<GpuOptions> = {
  checked: option.truth,
  extensions: option.array('a list of extensions'),
};

/**
 * A backend in a language of the C family for a GPU. `legalize` takes vectors apart; `emit` writes one file of kernels, a function for each
 * step of each kernel; what touches the machine is handed in. Its programs lie in memory of the device, which the host copies to and from.
 */
export const gpuBackend = (language: GpuLanguage, machine: GpuMachine, given?: GpuOptions): Backend => {
  const { checked = false, extensions = [] } = checkOptions(language.name, given, gpuSpec);
  const { name } = language;
  const { compile, driver, probe, graphs = false, timed, background = false } = machine;
  const dialects = [...dialectsOf(extensions), ...(language.pairs === true ? [pairDialect] : [])];
  const dialect = withExtensions(language.dialect, extensions);
  const { team } = dialect.part;
  const written: GpuLanguage = { ...language, dialect };
  /* Doubles become pairs in the text alone: for the host a buffer of doubles is one. */
  const inPairs = language.pairs === true ? pairsOfSingles(dialects) : undefined;
  const asWritten = (module: Module, watch?: Watch): Module => (inPairs ? orThrow(inPairs.run(module, watch)) : module);
  const programOf = gpuPrograms(written, dialects, { checked }, asWritten);
  const writes = (op: string): boolean => dialect.spellings[op] !== undefined;
  const lower = pipeline<Module>([
    expandSpellings(extensions, writes),
    scalarizeVectorsOver(dialects),
    serialAtomics(dialects, language.atomics),
    teamsOfLanes(dialects, team),
    /* Not every language lets threads see who is in step with them: there each does its own. */
    ...(writes('gpu.here') ? [atomicsInStep(dialects, team)] : []),
  ]);
  const check = (module: Module, watch?: Watch): void => {
    const atomics = checkAtomics(module, written);
    /* What they refuse has no pairs either. */
    if (inPairs) stopOnErrors(atomics);
    stopOnErrors([...checkKernels(asWritten(module, watch), dialect, extensions), ...atomics]);
  };
  return {
    name,
    capabilities: {
      types: language.types,
      ...(language.pairs === true ? { pairs: true } : {}),
      threads: false,
      background,
      atomics: language.atomics,
      vectorBytes: 0,
      fma: true,
      weakMemory: true,
      grain,
      ...(team ? { team: { threads: blockSize, sharedBytes: team.sharedBytes, warp: language.warp } } : {}),
    },
    legalize: pass(`${name}-legalize`, (module: Module, watch) => {
      stopOnErrors(verifyModule(module, dialects));
      const result = orThrow(lower.run(module, watch));
      check(result, watch);
      return result;
    }),
    emit: pass<Module, Sources>(`${name}-emit`, (module) => {
      check(module);
      const sources = emitGpu(module, written, programOf(module));
      stopOnErrors(language.verify?.(String(sources.files[0]!.contents)) ?? []);
      return sources;
    }),
    probe,
    ...(compile ? { compile } : {}),
    ...(driver
      ? {
          sharing: {
            space: name,
            open: () => attempt(async () => gpuMemory(name, await driver())),
            own: (module, bound) => layoutSlab(programOf(module).steps.module, bound),
          },
          load: (artifact, module, options) =>
            attempt(async () => {
              const { path } = artifact;
              if (path === undefined)
                return fail('load/artifact', 'the artifact has no file', {
                  remedy: "pass what this backend's compile made",
                });
              const chosen = checkOptions('load', options, loadSpec);
              const program = programOf(module);
              const opened = await driver();
              const code = opened.open(path);
              try {
                const placement =
                  chosen.placement ??
                  placeModule(module, gpuMemory(name, opened), {}, layoutSlab(program.steps.module));
                return executableOf(
                  module,
                  gpuLibrary(opened, code, module, program, placement, { graphs, timed }),
                  chosen,
                );
              } catch (e) {
                code.close();
                throw e;
              }
            }),
        }
      : {}),
  };
};

/* Threads by the ten thousand hide the way to memory, and neighbours want to be in one of its rows. */
const grain: Grain = { tasks: 1 << 16, least: 1, most: 256, hands: 1 };

const stopOnErrors = (diagnostics: Diagnostics): void => {
  const errors = diagnostics.filter((d) => d.severity === 'error');
  if (errors.length > 0) throw new DiagnosticError(errors);
};
