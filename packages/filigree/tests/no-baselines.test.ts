import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { filigreeProcess, marketOf, scratchFile } from './support.js';

/* Node as it is where the package is not installed. */
const hooks = scratchFile(
  'hide.mjs',
  `export const resolve = (name, context, next) => {
     if (name !== '@filigree/baselines') return next(name, context);
     throw Object.assign(new Error("Cannot find package '" + name + "' imported from " + context.parentURL), { code: 'ERR_MODULE_NOT_FOUND' });
   };`,
);
const hide = scratchFile(
  'without-baselines.mjs',
  `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hooks).href)});`,
);
const env = { NODE_OPTIONS: `--import ${pathToFileURL(hide).href}` };

const A = scratchFile('a.mtx', marketOf([[1, 2]]));
const commands: readonly (readonly string[])[] = [
  ['expr', "A*A'", '--bind', `A=${A}`, '--backend', 'wasm'],
  ['einsum', 'C[ij] = A[ik]*B[kj]', '--shape', 'A=2,2', '--shape', 'j=2', '--backend', 'wasm'],
  ['trace', A],
];

it.each(commands)('filigree %s --bench says what to install', async (...command) => {
  const { status, out, err } = await filigreeProcess([...command, '--bench', '--json'], env);
  expect(status).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    error: {
      code: 'bench/no-baselines',
      remedy: expect.stringMatching(/^npm install @filigree\/baselines@\d+\.\d+\.\d+\S*, /),
    },
  });
  expect(err).toContain('error[bench/no-baselines]');
});

it.each(commands)('filigree %s needs none of them without --bench', async (...command) => {
  const { status, err } = await filigreeProcess([...command, '--json'], env);
  expect({ status, err }).toMatchObject({ status: 0 });
});
