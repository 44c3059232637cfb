import type { Backend } from '@filigree/backend';
import type { KernelDecl } from '@filigree/tensor/einsum';
import type { GemmTarget } from '@filigree/tensor/linalg';
import { peakMeter } from '../../api/tensors/peak.js';
import type { TensorProgram } from '../../api/tensors/program.js';
import { medians, QUICK, type MeasureOptions } from '../measure.js';
import type { Session } from '../session.js';
import { einsumBaseline, type EinsumBaseline } from './einsum-baseline.js';
import { nativeKernel } from './einsum-native.js';
import type { EinsumRunOptions } from './einsum-options.js';

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
}: Timing) => {
  const { progress } = session;
  const kernel = program.kernels[decl.name]!;
  /* Sums that grow from run to run would in the end be infinite; what is added to begins at zero and takes small values. */
  for (const t of kernel.plan.tensors) if (t.access !== 'read') program.tensors[t.tensor.name]!.data.fill(0);
  const small = Object.fromEntries(kernel.plan.scalars.map((s) => [s, 1e-3]));
  const repetitions = options.bench
    ? Math.max(1, Math.min(20_000, Math.round(4e6 / Math.max(1, kernel.flops.hardware))))
    : 1;
  const runs: Record<string, () => void> = {
    run: () => {
      for (let i = 0; i < repetitions; i++) kernel.run({ scalars: small });
    },
  };
  const skipped: Record<string, string> = {};
  const open: EinsumBaseline[] = [];
  try {
    const cache = options.cache ? undefined : false;
    const native = options.bench ? await nativeKernel(program, decl.name, small, options.fastMath, cache) : undefined;
    if (native) {
      open.push(native);
      runs['run'] = () => native.run(repetitions);
    }
    if (options.bench)
      for (const kind of ['loops', 'libxsmm'] as const) {
        await progress.at(0.7, `compiling the baseline: ${kind}`);
        progress.listen();
        const problem = { plan: kernel.plan, values, scalars, expected, tolerance };
        const baseline = await einsumBaseline(problem, kind, cache);
        if (typeof baseline === 'string') skipped[kind] = baseline;
        else {
          open.push(baseline);
          runs[kind] = () => baseline.run(repetitions);
        }
      }
    await progress.at(0.85, 'timing');
    progress.listen();
    const meter = options.bench ? await peakMeter(options.dtype, { backend, target }) : undefined;
    if (meter) open.push({ run: meter.run, close: meter.dispose });
    const { run, peak, ...others } = await medians(
      { ...runs, ...(meter && { peak: meter.run }) },
      options.bench ? SHORT : QUICK,
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
