import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { filigreeEsbuild } from '@filigree/lang/plugin';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';

/* Below the package, where imports resolve. */
const scratch = fileURLToPath(new URL('../dist/', import.meta.url));
mkdirSync(scratch, { recursive: true });
const folder = mkdtempSync(join(scratch, 'browser-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a page would run: a kernel over a sparse field, and what the field holds then. */
const page = `
import { active, conjugateGradients, kernel, solveConjugateGradients, sum } from '@filigree/lang/kernels';
import { program } from '@filigree/runtime';
import { wasm } from '@filigree/backend-wasm';
import { dense, field, ij, layout } from '@filigree/sparse/fields';
const u = field('u', 'f32');
const grow = kernel([u, 'f32'], (u, by) => {
  for (const [i, j] of active(u)) u[i][j] += by;
});
const [x, p, q, r] = ['x', 'p', 'q', 'r'].map((name) => field(name, 'f64'));
const twice = (x) => 2 * x;
const start = kernel([r], (r) => {
  for (const [i, j] of active(r)) r[i][j] = twice(i);
});
const multiply = kernel([p, q], (p, q) => {
  for (const [i, j] of active(p)) q[i][j] = twice(p[i][j]);
  return sum(active(p), ([i, j]) => p[i][j] * q[i][j]);
});
globalThis.answer = (async () => {
  const grid = layout(dense(ij, 8).pointer().dense(ij, 8).place(u), dense(ij, 8).place(x, p, q, r));
  const kernels = { grow, start, multiply, ...conjugateGradients({ x, p, q, r }) };
  const made = await program({ layout: grid, kernels, backend: wasm() })();
  if (made._tag === 'Left') throw new Error(JSON.stringify(made.left));
  const sim = made.right;
  sim.fields.u.set([9, 10], 1);
  sim.run.grow(0.5);
  await sim.launch.grow(0.25);
  sim.run.start();
  solveConjugateGradients(sim.run, { tolerance: 1e-9, mostIterations: 10 });
  return [sim.fields.x.get([5, 3]), sim.fields.u.get([9, 10]), sim.fields.u.get([8, 15]), sim.fields.u.get([0, 0])];
})();
`;

it.each([false, true])('programs run in browsers, with nothing of Node, minified: %s', async (minify) => {
  const entry = join(folder, 'page.js');
  writeFileSync(entry, page);
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify,
    /* Here the sources of the language are bundled too, which find its words by their files. */
    plugins: [filigreeEsbuild({ modules: /^@filigree\/lang\/kernels$|\/(inline|kernel)\.js$/ })],
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    conditions: ['@filigree/source'],
    /* The assembler of wasm() asks for it where it finds Node, and nowhere else. */
    external: ['fs'],
    logOverride: { 'empty-import-meta': 'silent' },
  });
  const imported = Object.values(result.metafile.inputs).flatMap((f) => f.imports.map((i) => i.path));
  expect(imported.filter((path) => path.startsWith('node:'))).toEqual([]);
  const context = createContext({
    WebAssembly,
    performance,
    TextEncoder,
    TextDecoder,
    console,
    crossOriginIsolated: false,
  });
  runInContext(result.outputFiles[0].text, context);
  expect([...((await (context as { answer?: Promise<number[]> }).answer) ?? [])]).toEqual([5, 1.75, 0.75, 0]);
});
