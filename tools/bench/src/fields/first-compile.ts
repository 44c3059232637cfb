import type { DType } from '@filigree/e2e';
import { program } from 'filigree';
import { quantile } from '../measure.js';
import type { Outcome } from '../run-child.js';
import { applicationCase, type ApplicationName } from './applications.js';
import type { MicroResult } from './micro.js';

/** A kernel of an application, by its place among them. */
export interface FirstCompileJob {
  readonly name: ApplicationName;
  readonly index: number;
  readonly size?: number;
  readonly dtype: DType;
  readonly backend?: string;
}

/** What a process needs to compile a kernel of an application and nothing else. */
export interface FirstCompile {
  readonly kernel: string;
  /** How many kernels the application has. */
  readonly of: number;
  readonly ms: number;
}

/** Compiles one kernel of an application, on one thread, nothing from the cache: meant to be all that a process compiles. */
export const measureFirstCompile = async (job: FirstCompileJob): Promise<FirstCompile> => {
  const { name, index, size, dtype, backend } = job;
  const { layout, kernels } = (await applicationCase(name, size)).source(dtype);
  const all = Object.entries(kernels);
  const [kernel, definition] = all[index];
  const begin = performance.now();
  const sim = await program({
    ...{ layout, kernels: { [kernel]: definition }, threads: 1, cache: false },
    ...(backend === undefined ? {} : { backend }),
  });
  const ms = performance.now() - begin;
  sim.dispose();
  return { kernel, of: all.length, ms };
};

/**
 * The first compile of the kernel that needs longest for it: each kernel is compiled once, the longest twice again, all in
 * processes of their own, and the median of the three counts. A sentence where one cannot be compiled.
 *
 * @param inChild does a job in a new process
 */
export const slowestFirstCompile = async (
  applications: readonly ApplicationName[],
  options: Pick<FirstCompileJob, 'size' | 'dtype' | 'backend'>,
  inChild: (job: FirstCompileJob) => Promise<Outcome<FirstCompile>>,
): Promise<MicroResult | string> => {
  let slowest: { readonly job: FirstCompileJob; readonly found: FirstCompile } | undefined;
  let count = 0;
  for (const name of applications)
    for (let index = 0, of = 1; index < of; index++, count++) {
      const job = { ...options, name, index };
      const outcome = await inChild(job);
      if ('failed' in outcome) return `${name}: ${outcome.failed}`;
      const found = outcome.result;
      of = found.of;
      if (slowest === undefined || found.ms > slowest.found.ms) slowest = { job, found };
    }
  if (slowest === undefined) return 'there are no applications';
  const times = [slowest.found.ms];
  while (times.length < 3) {
    const outcome = await inChild(slowest.job);
    if ('failed' in outcome) return `${slowest.job.name}: ${outcome.failed}`;
    times.push(outcome.result.ms);
  }
  return {
    what: `first compile of a kernel in a new process: '${slowest.found.kernel}' of ${slowest.job.name}, the slowest of ${count}`,
    value: quantile(times, 0.5),
    unit: 'ms',
    goal: '≤ 1000',
  };
};
