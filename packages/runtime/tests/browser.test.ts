import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** What a page would run: a kernel over a sparse field, and what the field holds then. */
const page = `
import { active, kernel } from '@filigree/lang';
import { program } from '@filigree/runtime';
import { wasm } from '@filigree/backend-wasm';
import { dense, field, ij, layout } from '@filigree/sparse';
const u = field('u', 'f32');
const grow = kernel([u, 'f32'], (u, by) => {
  for (const [i, j] of active(u)) u[i][j] += by;
});
globalThis.answer = (async () => {
  const made = await program({ layout: layout(dense(ij, 8).pointer().dense(ij, 8).place(u)), kernels: { grow }, backend: wasm() })();
  if (made._tag === 'Left') throw new Error(JSON.stringify(made.left));
  const sim = made.right;
  sim.fields.u.set([9, 10], 1);
  sim.run.grow(0.5);
  await sim.launch.grow(0.25);
  return [sim.fields.u.get([9, 10]), sim.fields.u.get([8, 15]), sim.fields.u.get([0, 0])];
})();
`;

it('programs run in browsers, with nothing of Node', async () => {
  const result = await build({
    stdin: { contents: page, resolveDir: import.meta.dirname },
    bundle: true,
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
  expect([...((await (context as { answer?: Promise<number[]> }).answer) ?? [])]).toEqual([1.75, 0.75, 0]);
});
