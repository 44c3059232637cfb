import type { Dialect, Module } from '@filigree/ir';
import { kernelNames } from '../c-family/names.js';
import { type EmittedKernel, type EmitOptions, emitKernel } from '../c-family/kernel/emit-kernel.js';
import { teamOf, teamSize } from '../c-family/kernel/team.js';
import { type GpuLanguage, blockSize } from './language.js';
import { type Repeated, type Stage, type Step, type Steps, cutIntoSteps } from './steps.js';

/** A module as text of a GPU's language, and what its launches are. */
export interface GpuProgram {
  readonly steps: Steps;
  /** Of each kernel, by name, its launches in order. */
  readonly launches: ReadonlyMap<string, readonly GpuStage[]>;
  readonly kernels: readonly EmittedKernel[];
}

/** A launch, or launches that the host repeats. */
export type GpuStage = GpuLaunch | Repeated<GpuStage>;

/** All launches of these stages, each once. */
export const launchesIn = (stages: readonly GpuStage[]): readonly GpuLaunch[] =>
  stages.flatMap((s) => ('stages' in s ? launchesIn(s.stages) : [s]));

/** One launch: a step, and the function that it is. */
export interface GpuLaunch {
  readonly step: Step;
  readonly emitted: EmittedKernel;
  /** Threads of a team where one runs each iteration; else one thread does. */
  readonly team?: number;
}

/* Of several loops in one step the largest team. */
const teamIn = (
  { kernel, parallel }: Step,
  module: Module,
  { dialect, warp }: GpuLanguage,
): Pick<GpuLaunch, 'team'> => {
  const loops = parallel ? kernel.body.ops.filter((op) => teamOf(op, module, dialect.part.team) !== undefined) : [];
  return loops.length === 0 ? {} : { team: Math.max(...loops.map((loop) => teamSize(loop, blockSize, warp))) };
};

/**
 * Writes the steps of legal modules, each module once.
 *
 * @param asWritten the module as the language has it
 */
export const gpuPrograms = (
  language: GpuLanguage,
  dialects: readonly Dialect[],
  options: EmitOptions,
  asWritten: (module: Module) => Module,
): ((module: Module) => GpuProgram) => {
  const { dialect } = language;
  const known = new WeakMap<Module, GpuProgram>();
  const write = (module: Module): GpuProgram => {
    const steps = cutIntoSteps(asWritten(module), dialects);
    const names = kernelNames(steps.module);
    const emitted = new Map(
      steps.module.kernels.map((kernel, k) => [
        kernel,
        emitKernel(steps.module, kernel, `filigree_kernel_${names[k]}`, dialect, options),
      ]),
    );
    const written = (stage: Stage): GpuStage =>
      'stages' in stage
        ? { ...stage, stages: stage.stages.map(written) }
        : { step: stage, emitted: emitted.get(stage.kernel)!, ...teamIn(stage, steps.module, language) };
    return {
      steps,
      kernels: [...emitted.values()],
      launches: new Map([...steps.of].map(([name, list]) => [name, list.map(written)])),
    };
  };
  return (module) => {
    const program = known.get(module) ?? write(module);
    known.set(module, program);
    return program;
  };
};
