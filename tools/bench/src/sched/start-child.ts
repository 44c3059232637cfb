import { program } from 'filigree';
import { applicationCase, type ApplicationName } from '../fields/applications.js';

/** What a process is to begin with: an application, where code is kept, and by which backend. */
export interface StartJob {
  readonly name: ApplicationName;
  readonly cache: string;
  readonly backend?: string;
}

/** Milliseconds from an application's kernels to the program that runs, and what the processor did meanwhile. */
export interface Start {
  readonly ms: number;
  readonly cpuMs: number;
}

const job = JSON.parse(process.argv[2]) as StartJob;
const { layout, kernels } = (await applicationCase(job.name)).source('f32');
const [began, used] = [performance.now(), process.cpuUsage()];
const { dispose } = await program({
  ...{ layout, kernels, threads: 1, cache: job.cache },
  ...(job.backend === undefined ? {} : { backend: job.backend }),
});
const ms = performance.now() - began;
const { user, system } = process.cpuUsage(used);
dispose();
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000 } satisfies Start));
process.exit(0);
