import { Worker } from 'node:worker_threads';

/** Starts a worker on a script beside this file, by its name: in the package as it is published, or among the sources. */
export const startScript = (name: string): Worker => {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`./${name}.js`, import.meta.url), { execArgv: [] });
  /* Sources need a loader, which a worker on Node 20 takes only once it runs. */
  const script = JSON.stringify(new URL(`./${name}.ts`, import.meta.url).href);
  return new Worker(`import('tsx/esm/api').then(({ register }) => (register(), import(${script})));`, {
    eval: true,
    execArgv: ['--conditions=@filigree/source'],
  });
};
