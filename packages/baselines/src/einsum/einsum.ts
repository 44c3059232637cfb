import type { Plan } from '@filigree/tensor/einsum';
import type { Baseline, Repeated } from '../baseline.js';
import { folderWith } from '../headers.js';
import { near } from '../near.js';
import { einsumSource } from './einsum-source.js';

export interface EinsumProblem {
  readonly plan: Plan;
  /** All entries of each tensor before the run, column-major. */
  readonly values: Readonly<Record<string, Float64Array>>;
  readonly scalars: Readonly<Record<string, number>>;
  /** What the assigned tensors come to. */
  readonly expected: Readonly<Record<string, Float64Array>>;
  readonly tolerance: number;
}

export interface RunningEinsum extends Repeated {
  /** All entries of each tensor of the plan, in its order, as the runs so far left them. */
  readonly results: readonly (Float32Array | Float64Array)[];
}

const open = async (path: string, { plan, values, scalars }: EinsumProblem): Promise<RunningEinsum | string> => {
  const { default: koffi } = await import('koffi');
  const scalar = plan.type === 'f32' ? 'float' : 'double';
  const library = koffi.load(path);
  const tensor = library.func(`void baseline_tensor(int k, ${scalar} *at)`);
  const setScalar = library.func(`void baseline_scalar(int k, ${scalar} value)`);
  const start = library.func('int baseline_start()');
  const run = library.func('void baseline_run(int times)');
  const Values = plan.type === 'f32' ? Float32Array : Float64Array;
  const close = (): void => library.unload();
  /* Memory that the library keeps pointers to: buffers of their own are not moved, and live as long as `close`. */
  const memory = plan.tensors.map(({ tensor: t }) => {
    const own = new Values(new ArrayBuffer(Values.BYTES_PER_ELEMENT * values[t.name]!.length));
    own.set(values[t.name]!);
    return own;
  });
  memory.forEach((m, k) => tensor(k, m));
  plan.scalars.forEach((s, k) => setScalar(k, scalars[s]!));
  if (start() !== 1) {
    close();
    return 'it does not make code for these products';
  }
  run(1);
  return {
    run: (times) => {
      run(times);
    },
    results: memory,
    close: () => {
      close();
      memory.length = 0;
    },
  };
};

/* Loops over dense arrays write what lies outside a pattern, too. */
const fault = ({ results }: RunningEinsum, { plan, expected, tolerance }: EinsumProblem): string | undefined =>
  plan.tensors.every(
    ({ tensor: t }, k) => !expected[t.name] || near(results[k]!, expected[t.name]!, tolerance, t.pattern?.bits),
  )
    ? undefined
    : 'it comes to another result';

const FLAGS = ['-std=c++17', '-O3', '-DNDEBUG', '-ffast-math'];

/** A plan's operations as nested loops. */
export const loops: Baseline<EinsumProblem, RunningEinsum> = {
  name: 'loops',
  called: 'it',
  source: ({ plan }, { target }) =>
    Promise.resolve({ text: einsumSource(plan, 'loops'), flags: [...FLAGS, ...target] }),
  open,
  fault,
};

/** The same with LIBXSMM for its products, where its headers are. */
export const libxsmm: Baseline<EinsumProblem, RunningEinsum> = {
  name: 'libxsmm',
  called: 'it',
  source: async ({ plan }, { target }) =>
    (await folderWith('libxsmm.h', ['/usr/include', '/usr/local/include'])) === undefined
      ? 'the headers of LIBXSMM were not found (Debian, Ubuntu: apt install libxsmm-dev)'
      : {
          text: einsumSource(plan, 'libxsmm'),
          flags: [...FLAGS, ...target],
          /* LIBXSMM does not outlive its being unmapped. */
          link: ['-lxsmm', '-lxsmmnoblas', '-lm', '-lpthread', '-ldl', '-Wl,-z,nodelete'],
        },
  open,
  fault,
};
