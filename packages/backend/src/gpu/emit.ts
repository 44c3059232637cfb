import type { Module } from '@filigree/ir';
import { emitHelpers } from '../c-family/emit-helpers.js';
import type { Sources } from '../contract.js';
import { tablesOf } from '../slab/tables.js';
import { type GpuLanguage, blockSize } from './language.js';
import type { GpuLaunch, GpuProgram, GpuStage } from './program.js';

/**
 * The sources of a module: one readable file of kernels without headers, which says at its top how they are launched, and the constant
 * buffers as `tables.bin`. The file holds nothing of lengths or data, so modules of one structure share it.
 */
export const emitGpu = (module: Module, language: GpuLanguage, program: GpuProgram): Sources => {
  const { dialect, file, written, about, preamble } = language;
  const helpers = new Set(program.kernels.flatMap((k) => [...k.helpers]));
  const text = [
    ...about.map((l) => `// ${l}`),
    `// Each launch below is of one thread, or of as many blocks of ${blockSize} as are at hand: threads share the iterations. Launches run in this order:`,
    ...[...program.launches].flatMap(([name, stages]) => stagesText(name, stages)).map((l) => `//   ${l}`),
    '',
    ...preamble,
    emitHelpers(helpers, dialect),
    '',
    ...program.kernels.map((k) => k.text),
  ].join('\n');
  return {
    backend: language.name,
    files: [
      { name: file, language: written, contents: text },
      {
        name: 'tables.bin',
        language: 'binary',
        get contents() {
          return tablesOf(module);
        },
      },
    ],
  };
};

/** A line for each launch; those that are repeated are indented. */
const stagesText = (name: string, stages: readonly GpuStage[], path: readonly number[] = []): readonly string[] =>
  stages.flatMap((stage, k) => {
    const steps = [...path, k + 1];
    const where = stages.length > 1 || path.length > 0 ? `${name}, step ${steps.join('.')}` : name;
    const indent = '  '.repeat(path.length);
    return 'stages' in stage
      ? [`${indent}${where}: again for each ${stage.counter}:`, ...stagesText(name, stage.stages, steps)]
      : [`${indent}${where}: ${callText(stage)}`];
  });

const callText = ({ step, emitted }: GpuLaunch): string => {
  const { kernel, parallel, trips } = step;
  const args = [
    ...emitted.buffers.map((b) => b.name),
    ...(emitted.takesStatus ? ['status'] : []),
    ...kernel.params.map((p, k) => p.hint ?? `argument ${k + 1}`),
  ];
  const count =
    trips === undefined
      ? 'many'
      : typeof trips === 'number'
        ? String(trips)
        : (kernel.params[trips.parameter]!.hint ?? `argument ${trips.parameter + 1}`);
  return `${emitted.name}(${args.join(', ')}) on ${parallel ? `threads for ${count} iterations` : 'one thread'}`;
};
