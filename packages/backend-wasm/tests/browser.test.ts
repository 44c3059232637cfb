import { runInContext, createContext } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** What a page would run: two kernels, sync and async, printed. */
const page = `
import { buildKernel, declareBuffer, makeModule } from '@filigree/ir';
import { wasm } from '@filigree/backend-wasm';
const n = 5000;
const buffers = [declareBuffer('x', 'f64', n, 'input'), declareBuffer('y', 'f64', n, 'output')];
const kernel = buildKernel('k', {}, (b) => {
  b.for(b.i32(0), b.i32(n), b.i32(1), { parallel: true, simd: true }, [], (i) => {
    const x = b.load('x', i);
    b.store('y', b.add(b.mul(x, x), b.value('math.sin', [x])), i);
  });
}, buffers);
const module = makeModule('page', buffers, [kernel]);
const right = (e) => { if (e._tag === 'Left') throw new Error(JSON.stringify(e.left)); return e.right; };
globalThis.answer = (async () => {
  const backend = wasm();
  const legal = right(backend.legalize.run(module));
  const artifact = right(await backend.compile(right(backend.emit.run(legal)))());
  const program = right(await backend.load(artifact, legal)());
  program.buffers.x.forEach((_, i) => (program.buffers.x[i] = i));
  program.run({ threads: 2 });
  const first = program.buffers.y[4999];
  program.buffers.y.fill(0);
  await program.runAsync({ threads: 2 });
  program.dispose();
  return { first, second: program.buffers.y[4999], cached: artifact.cached, threads: backend.capabilities.threads };
})();
`;

const bundled = async (): Promise<{ script: string; imported: readonly string[] }> => {
  const result = await build({
    stdin: { contents: page, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    conditions: ['@filigree/source'],
    /* The assembler asks for it where it finds Node, and nowhere else. */
    external: ['fs'],
  });
  const imported = Object.values(result.metafile.inputs).flatMap((f) => f.imports.map((i) => i.path));
  return { script: result.outputFiles[0].text, imported };
};

describe('in a browser', () => {
  it('needs nothing of Node', async () => {
    const { script, imported } = await bundled();
    expect(imported.filter((path) => path.startsWith('node:'))).toEqual([]);
    const globals = { WebAssembly, performance, TextEncoder, TextDecoder, console };
    const context = createContext({ ...globals, crossOriginIsolated: false });
    runInContext(script, context);
    const answer = await (context as { answer?: Promise<unknown> }).answer;
    const want = 4999 * 4999 + Math.sin(4999);
    expect(answer).toEqual({ first: want, second: want, cached: false, threads: false });
  });
});
