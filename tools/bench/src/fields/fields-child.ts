import { measureFirstCompile, type FirstCompileJob } from './first-compile.js';
import { measureApplication, type ApplicationJob } from './measure-application.js';
import { measureMicro, type MicroJob } from './micro.js';

/** What a child process is to measure. */
export type FieldsJob =
  | ({ readonly measure: 'application' } & ApplicationJob)
  | ({ readonly measure: 'first-compile' } & FirstCompileJob)
  | ({ readonly measure: 'micro' } & MicroJob);

process.on('SIGTERM', () => process.exit(1));

try {
  const job = JSON.parse(process.argv[2]) as FieldsJob;
  const result = await (job.measure === 'micro'
    ? measureMicro(job)
    : job.measure === 'first-compile'
      ? measureFirstCompile(job)
      : measureApplication(job, (line) => process.stderr.write(`${line}\n`)));
  console.log(JSON.stringify({ result }));
} catch (e) {
  // The first line says what is wrong; the parent shows it in the table.
  console.error(e instanceof Error ? e.message : String(e));
  process.exit(1);
}
process.exit(0);
