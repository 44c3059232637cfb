import type { Backend } from '@filigree/backend';
import type { KernelDecl } from '@filigree/tensor/einsum';
import type { GemmTarget } from '@filigree/tensor/linalg';
import { peakMeter } from '../../api/tensors/peak.js';
import type { TensorProgram } from '../../api/tensors/program.js';
import { medians, QUICK, type MeasureOptions } from '../measure.js';
import type { Session } from '../session.js';
import type { Baselines } from '../load-baselines.js';
import type { EinsumRunOptions } from './einsum-options.js';
import { kernelAlone } from './kernel-alone.js';

/** What is timed, and what it is compared with. */
export interface Timing {
  readonly program: TensorProgram;
  readonly decl: KernelDecl;
  readonly values: Readonly<Record<string, Float64Array>>;
  readonly scalars: Readonly<Record<string, number>>;
  readonly expected: Readonly<Record<string, Float64Array>>;
  /** Largest error accepted, relative to the largest entry. */
  readonly tolerance: number;
  readonly options: EinsumRunOptions;
  readonly session: Session;
  readonly backend: Backend;
  readonly target: GemmTarget;
  /** For `--bench`. */
  readonly baselines: Baselines | undefined;
}

/* Many samples, short beside the slices in which a system deals out its processors. */
const SHORT: MeasureOptions = { rounds: 75, sampleMs: 0.1, budgetMs: 2000 };

/** Milliseconds of a run, and of baselines; all are called many times at once, so that calls into them do not count. */
export const timeFormula = async ({
  program,
  decl,
  values,
  scalars,
  expected,
  tolerance,
  options,
  session,
  backend,
  target,
  baselines,
}: Timing) => {
  const { progress } = session;
  const kernel = program.kernels[decl.name]!;
  /* Sums that grow from run to run would in the end be infinite; what is added to begins at zero and takes small values. */
  for (const t of kernel.plan.tensors) if (t.access !== 'read') program.tensors[t.tensor.name]!.data.fill(0);
  const small = Object.fromEntries(kernel.plan.scalars.map((s) => [s, 1e-3]));
  const repetitions = baselines
    ? Math.max(1, Math.min(20_000, Math.round(4e6 / Math.max(1, kernel.flops.hardware))))
    : 1;
  const runs: Record<string, () => void> = {
    run: () => {
      for (let i = 0; i < repetitions; i++) kernel.run({ scalars: small });
    },
  };
  const skipped: Record<string, string> = {};
  const open: { readonly close: () => void }[] = [];
  try {
    const cache = options.cache ? undefined : false;
    if (baselines) {
      const { prepare, kernelLoop, loops, libxsmm } = baselines;
      const alone = kernelAlone(program, decl.name, small, options.fastMath);
      const looped = alone && (await prepare(kernelLoop, alone, cache));
      if (typeof looped === 'object') {
        open.push(looped);
        runs['run'] = () => looped.run(repetitions);
      }
      for (const baseline of [loops, libxsmm]) {
        await progress.at(0.7, `compiling the baseline: ${baseline.name}`);
        progress.listen();
        const problem = { plan: kernel.plan, values, scalars, expected, tolerance };
        const running = await prepare(baseline, problem, cache);
        if (typeof running === 'string') skipped[baseline.name] = running;
        else {
          open.push(running);
          runs[baseline.name] = () => running.run(repetitions);
        }
      }
    }
    await progress.at(0.85, 'timing');
    progress.listen();
    const meter = baselines ? await peakMeter(options.dtype, { backend, target }) : undefined;
    if (meter) open.push({ close: meter.dispose });
    const { run, peak, ...others } = await medians(
      { ...runs, ...(meter && { peak: meter.run }) },
      baselines ? SHORT : QUICK,
    );
    return {
      run: run! / repetitions,
      baselines: Object.fromEntries(Object.entries(others).map(([name, ms]) => [name, ms / repetitions])),
      skipped,
      /* 10⁹ operations a second, of the same rounds. */
      peak: meter && peak !== undefined ? meter.flops / (peak * 1e6) : 0,
    };
  } finally {
    for (const b of open) b.close();
  }
};
