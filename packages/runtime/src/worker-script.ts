import type { Worker } from 'node:worker_threads';

/** Starts a worker on a script beside this file, by its name: in the package as it is published, or among the sources. */
export const startScript = (name: string): Worker => {
  /* Not imported, and no URL that bundlers would follow: the rest of this package runs in browsers too. */
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, here), { execArgv: [] });
  /* Sources need a loader, which a worker on Node 20 takes only once it runs. */
  const script = JSON.stringify(new URL(`./${name}.ts`, here).href);
  return new Worker(`import('tsx/esm/api').then(({ register }) => (register(), import(${script})));`, {
    eval: true,
    execArgv: ['--conditions=@filigree/source'],
  });
};
