import type { Worker, WorkerOptions } from 'node:worker_threads';

/**
 * Starts a worker on a script beside this file, by its name: in the package as it is published, or among the sources. It sees the environment as
 * it is.
 */
export const startScript = (name: string, given: Pick<WorkerOptions, 'workerData' | 'transferList'> = {}): Worker => {
  /* Not imported, and no URL that bundlers would follow: the rest of this package runs in browsers too. */
  const threads = process.getBuiltinModule('node:worker_threads');
  const options: WorkerOptions = { ...given, env: threads.SHARE_ENV };
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return new threads.Worker(new URL(`./${name}.js`, here), { ...options, execArgv: [] });
  /* Sources need a loader, which a worker on Node 20 takes only once it runs. */
  const script = JSON.stringify(new URL(`./${name}.ts`, here).href);
  return new threads.Worker(`import('tsx/esm/api').then(({ register }) => (register(), import(${script})));`, {
    ...options,
    eval: true,
    execArgv: ['--conditions=@filigree/source'],
  });
};
