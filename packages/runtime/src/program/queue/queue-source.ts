import { dialectsOf, type Backend, type CompileOptions } from '@filigree/backend';
import type { Extension, Module } from '@filigree/ir';
import { fieldDialect, type Storage } from '@filigree/sparse/fields';
import { cutKernels } from '@filigree/sparse/tasks';
import type { FieldLowering } from '../../away/code-job.js';
import { codeElsewhere } from '#kept';
import { tablesInPlace } from '../../session/joined.js';
import { loadAllLowering } from '../load-lowering.js';
import type { FastMath } from './freedom.js';
import type { FusedModule, Making } from './fused-code.js';
import type { QueueOptions } from './queue-options.js';
import type { QueueSetting } from './queue.js';

/** What a queue of launches is made from: the kernels before they were lowered, and how they are. */
export interface QueueSource extends Pick<QueueSetting, 'cut' | 'queue'> {
  readonly making: (fastMath: FastMath) => Omit<Making, 'options'>;
}

/** What launches wait for, and how their code is made. */
export interface Queued {
  readonly queue: boolean | QueueOptions | undefined;
  readonly extensions: readonly Extension[] | undefined;
  /** The kernels before they are lowered. */
  readonly module: Module;
  readonly storage: Storage;
  /** What compilers may do to them: kernels of other programs, which join, may be compiled more strictly. */
  readonly levels: readonly FastMath[];
  readonly loweringOf: (fastMath: FastMath) => QueuedLowering;
}

/** How kernels are lowered that compilers may do so much to. */
export interface QueuedLowering {
  /** From kernels on fields to kernels on memory. Throws `DiagnosticError`. */
  readonly lower: (module: Module) => Module;
  /** What the code of plans is found by, where what a program becomes depends on nothing but itself. */
  readonly elsewhere:
    | {
        readonly backend: Backend;
        readonly options: CompileOptions;
        readonly parts: readonly (string | undefined)[];
        /** Nothing where no other thread lowers as this one does. */
        readonly lowered: FieldLowering | undefined;
      }
    | undefined;
}

/** What the launches of a program wait in. */
export const queueSource = async (queued: Queued): Promise<QueueSource> => {
  const { queue, extensions = [], module, storage, levels, loweringOf } = queued;
  const { layout } = storage;
  /* Plans are lowered while launches are made, which do not wait for more of the lowering. */
  await loadAllLowering();
  const cut = cutKernels(module, layout, [...dialectsOf(extensions), fieldDialect(layout)], storage);
  const own = new Set(cut.setting.buffers.map((b) => b.name));
  const whole = ({ kernels, buffers }: FusedModule): Module => ({
    ...module,
    name: 'fused',
    kernels,
    buffers: tablesInPlace(buffers, own),
  });
  const makingOf = async ({ lower, elsewhere }: QueuedLowering): Promise<Omit<Making, 'options'>> => ({
    lower: (fused) => lower(whole(fused)),
    ...(elsewhere && {
      elsewhere: await codeElsewhere(elsewhere.backend, elsewhere.options, {
        whole,
        parts: elsewhere.parts,
        lowered: elsewhere.lowered && { fields: elsewhere.lowered },
      }),
    }),
  });
  const makings = new Map<FastMath, Omit<Making, 'options'>>();
  for (const level of levels) makings.set(level, await makingOf(loweringOf(level)));
  return { cut, queue: typeof queue === 'object' ? queue : {}, making: (fastMath) => makings.get(fastMath)! };
};
