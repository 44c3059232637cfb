import type { Backend } from '@filigree/backend';
import { runPass, arithmeticOf, DiagnosticError, fail, type Arithmetic, type Diagnostics, orThrow } from '@filigree/ir';
import { carryStores, loadRarePasses } from '@filigree/opt';
import { instantiate, type Instance, type SharingOptions } from '@filigree/runtime';
import {
  overridesFor,
  specialize,
  trace,
  traceFor,
  type Program,
  type Specialized,
  type Trace,
} from '@filigree/specialize';
import { memoryProblem } from './memory.js';
import { mergeOptions, type OptionOverrides } from './options.js';
import { warningsOf } from './warnings-of.js';

/** The steps from a program to something that runs, in order. */
export type Stage = 'trace' | 'analyse' | 'generate' | 'compile';

export interface BuildOptions extends SharingOptions {
  readonly backend: Backend;
  readonly dtype?: 'f32' | 'f64' | undefined;
  readonly threads?: number | undefined;
  readonly cache?: string | false | undefined;
  readonly arithmetic?: Arithmetic | undefined;
  readonly maxMB?: number | undefined;
  readonly specialize?: OptionOverrides | undefined;
  /** Called when a step begins. */
  readonly onProgress?: ((stage: Stage) => void | Promise<void>) | undefined;
}

/** A program traced, specialised and loaded, with all that was made on the way. */
export interface Built {
  readonly trace: Trace;
  readonly specialized: Specialized;
  readonly instance: Instance;
  /** Outputs that are NaN whatever the input, what compiling noted, and what options do nothing. */
  readonly warnings: Diagnostics;
  readonly dtype: 'f32' | 'f64';
  readonly arithmetic: Arithmetic;
  readonly ms: Readonly<Record<Stage, number>>;
}

/**
 * Takes a program all the way. `analyse` is specialisation up to kernel IR, `generate` the sources, `compile` the compiler
 * or the cache, and loading. Throws `DiagnosticError`.
 */
export const build = async (program: Program, options: BuildOptions): Promise<Built> => {
  try {
    return await built(program, options);
  } catch (e) {
    const exhausted = memoryProblem(e);
    throw exhausted ? new DiagnosticError([exhausted]) : e;
  }
};

const built = async (program: Program, options: BuildOptions): Promise<Built> => {
  const { backend, threads = 1, cache, memory, bind, session, maxMB, onProgress } = options;
  const arithmetic = arithmeticOf(options.arithmetic);
  const specializeOptions = mergeOptions(
    overridesFor(backend.capabilities),
    session ? { place: { tileInstances: TILE } } : {},
    options.specialize ?? {},
    options.dtype ? { dtype: options.dtype } : {},
  );
  const { dtype } = specializeOptions;
  await onProgress?.('trace');
  const started = performance.now();
  const traced = orThrow(
    runPass(
      trace({ arithmetic, ...traceFor(specializeOptions), ...(maxMB === undefined ? {} : { maxMB }) }),
      program,
      backend.watch,
    ),
  );
  checkNames(traced);
  const tracedAt = performance.now();
  await onProgress?.('analyse');
  const specialized = await carried(orThrow(specialize(specializeOptions)(traced, backend.watch)), backend);
  checkBuffers(specialized);
  const analysedAt = performance.now();
  const instance = orThrow(
    await instantiate(specialized.module, backend, {
      threads,
      ...(cache === undefined ? {} : { cache }),
      ...(memory && { memory }),
      ...(bind && { bind }),
      ...(session && { session }),
      ...(onProgress && { onStep: (step) => (step === 'load' ? undefined : onProgress(STAGE_OF[step])) }),
    })(),
  );
  return {
    trace: traced,
    specialized,
    instance,
    warnings: [...traced.warnings, ...warningsOf(instance, { threads, backend, what: 'what the program computes' })],
    dtype,
    arithmetic,
    ms: {
      trace: tracedAt - started,
      analyse: analysedAt - tracedAt,
      generate: instance.ms.emit,
      compile: instance.ms.compile + instance.ms.load,
    },
  };
};

/** What a step has stored is carried to the next that reads it, as fields' recurrences are. Pages have the pass only where there are steps. */
const carried = async (specialized: Specialized, { watch }: Backend): Promise<Specialized> => {
  if (!specialized.repeats) return specialized;
  await loadRarePasses();
  return { ...specialized, module: orThrow(runPass(carryStores(), specialized.module, watch)) };
};

/** Instances of a tile in a session: tiles of programs over equally many are equal, and small enough that what one leaves the next finds in the cache. */
const TILE = 4096;

const STAGE_OF = { emit: 'generate', compile: 'compile' } as const;

/* Names become identifiers of the generated sources. */
const checkNames = ({ inputs, outputs }: Trace): void => {
  for (const { name } of [...inputs, ...outputs])
    if (!/^[A-Za-z_]\w*$/.test(name))
      fail('program/name', `'${name}' cannot name an input or output`, {
        remedy: 'use letters, digits and _, not beginning with a digit',
      });
};

const checkBuffers = ({ module }: Specialized): void => {
  const seen = new Set<string>();
  for (const { name } of module.buffers) {
    if (seen.has(name))
      fail('program/name', `the name '${name}' is taken by a buffer of the compiled program`, {
        remedy: 'give the input or output another name',
      });
    seen.add(name);
  }
};
