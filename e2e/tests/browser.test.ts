import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { artifactBytes } from '@filigree/runtime/artifact';
import { filigreeVite } from 'filigree/plugin';
import { chromium, type Browser } from 'playwright-core';
import { build, createServer, preview, type InlineConfig } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchOptions, pagesAreTested } from './chromium.js';

/* Inside the workspace, where the packages are found. */
const scratch = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(scratch, { recursive: true });
const folder = mkdtempSync(join(scratch, 'browser-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The examples of the README, by a word in them; `console.log` tells the page. */
const examples = [
  ...readFileSync(new URL('../../README.md', import.meta.url), 'utf8').matchAll(/```js\n([\s\S]*?)```/g),
].map(([, code]) => code);
const example = (word: string): string =>
  examples.find((code) => code.includes(word)) ?? expect.fail(`no example with ${word}`);

/** A module of programs that the build compiles, with a type that it strips. */
const simulation = `import { dense, field, i, kernel, layout, range } from 'filigree';
const x = field('x', 'f64');
const squares = kernel([x, 'f64'], (x, by: number) => { for (const i of range(4096)) x[i] = by * i * i; });
export const sim = { layout: layout(dense(i, 4096).place(x)), kernels: { squares }, fields: { x } };
export const product = { formula: 'C[ij] = s*A[ik]*A[kj]', shapes: { A: [2, 2] } };
`;

/** What a page or a worker runs: its lines, then `end`. */
const told = (imports: string, body: string): string =>
  `${imports}
const tell = (line) => (globalThis.document ? (globalThis.told ??= []).push(line) : postMessage(line));
const console = { log: (...words) => tell(words.join(' ')), warn: globalThis.console.warn };
try {
${body}
} catch (e) {
  tell('code ' + (e.diagnostics?.[0].code ?? String(e)));
}
tell('end');
`;

const apart = (code: string): string => {
  const imports = code.split('\n').filter((line) => line.startsWith('import '));
  const body = code.split('\n').filter((line) => !line.startsWith('import '));
  return told(imports.join('\n'), body.join('\n'));
};

const programs: Readonly<Record<string, string>> = {
  compile: apart(example('chain.outputs')),
  fields: apart(example('sim.fields.v.get')),
  einsum: apart(example('volume.tensors')),
  files: told(
    `import { readMatrixFile, readMatrix, writeBytes } from 'filigree';`,
    `const matrix = await readMatrixFile('/packed.bin');
console.log(Array.from(matrix.values).join(' '));
for (const [path, name] of [['/broken.bin', 'broken'], ['/nothing.mtx', 'missing']])
  await readMatrixFile(path).catch((e) => console.log(name, e.diagnostics[0].code));
try { readMatrix(new Uint8Array([0x1f, 0x8b, 0, 0])); } catch (e) { console.log('at once', e.diagnostics[0].code); }
await writeBytes('x', new Uint8Array(1)).catch((e) => console.log('written', e.diagnostics[0].code));`,
  ),
  artifact: told(
    `import { loadArtifact, loadEinsum } from 'filigree/artifact';
import { product, sim as made } from './simulation.ts';`,
    `const sim = await loadArtifact(made, { threads: 2 });
sim.run.squares(0.5);
console.log(sim.fields.x.get([4095]), globalThis.crossOriginIsolated);
const squared = await loadEinsum(product);
squared.tensors.A.set([1, 2, 3, 4]);
squared.run({ scalars: { s: 10 } });
console.log([...squared.tensors.C.get()].join(' '));
for (const file of ['early', 'old', 'missing'])
  await loadArtifact('/' + file + '.filigree').catch((e) => console.log(file, e.diagnostics[0].code));`,
  ),
  uncaught: `import { loadArtifact } from 'filigree/artifact';
setTimeout(() => (globalThis.document ? (globalThis.told = ['end']) : postMessage('end')), 500);
await loadArtifact('/early.filigree');
`,
  backends: told(
    `import { backends, program, dense, i, field, kernel, range, layout } from 'filigree';`,
    `console.log(backends().map((b) => b.name).join(' '), globalThis.crossOriginIsolated);
const x = field('x', 'f64');
const fill = kernel([x], (x) => { for (const i of range(4096)) x[i] = i * i; });
const sim = await program({ layout: layout(dense(i, 4096).place(x)), kernels: { fill }, threads: 2 });
sim.run.fill();
console.log(sim.fields.x.get([4095]));`,
  ),
};

const app = (): void => {
  writeFileSync(join(folder, 'simulation.ts'), simulation);
  const market = '%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 -3\n';
  mkdirSync(join(folder, 'public'));
  /* Of a name that servers do not unpack by themselves. */
  writeFileSync(join(folder, 'public/packed.bin'), gzipSync(market));
  writeFileSync(join(folder, 'public/broken.bin'), gzipSync(market).subarray(0, 30));
  const old = artifactBytes({ version: '0.0.1', name: 'sim', warnings: [], variants: [] });
  writeFileSync(join(folder, 'public/old.filigree'), old);
  writeFileSync(join(folder, 'public/early.filigree'), old.subarray(0, 60));
  for (const [name, code] of Object.entries(programs)) {
    page(name, code);
    page(`${name}-worker`, `import { begin } from './in-worker.js';\nbegin('${name}');\n`);
  }
  /* Whoever makes a worker has all that it uses bundled once more, so one place makes the one that runs all programs. */
  const all = Object.keys(programs).map((name) => `${name}: () => import('./${name}.js')`);
  writeFileSync(join(folder, 'worker.js'), `onmessage = ({ data }) => ({ ${all.join(', ')} })[data]();\n`);
  writeFileSync(
    join(folder, 'in-worker.js'),
    `export const begin = (name) => {\n${startOf('worker.js')}worker.postMessage(name);\n};\n`,
  );
  page('bare', startOf('fields.js'));
};

/** Starts a worker that tells the page. */
const startOf = (file: string): string => `globalThis.told = [];
const worker = new Worker(new URL('./${file}', import.meta.url), { type: 'module' });
worker.onmessage = (e) => globalThis.told.push(e.data);
worker.onerror = (e) => globalThis.told.push('error ' + e.message, 'end');
`;

const page = (name: string, code: string): void => {
  writeFileSync(join(folder, `${name}.js`), code);
  writeFileSync(join(folder, `${name}.html`), `<!doctype html><script type="module" src="./${name}.js"></script>`);
};

const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

const plugins = () => [filigreeVite({ artifacts: ['simulation.ts'], threads: 2 }) as never];

const pages = Object.keys(programs).flatMap((name) => [name, `${name}-worker`]);

const config = (
  headers: Readonly<Record<string, string>>,
  inWorkers = plugins,
  outDir = 'dist',
  built = pages,
): InlineConfig => ({
  root: folder,
  configFile: false,
  logLevel: 'error',
  appType: 'mpa',
  /* As docs/browser.md says: in the pages and in the workers. */
  plugins: plugins(),
  worker: { format: 'es', plugins: inWorkers },
  server: { headers, port: 0, host: '127.0.0.1', fs: { strict: false }, hmr: false },
  preview: { headers, port: 0, host: '127.0.0.1' },
  build: {
    target: 'es2022',
    outDir,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      input: built.map((name) => join(folder, `${name}.html`)),
    },
  },
});

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const held: { browser?: Browser } = {};

/* On a machine that does other things too, a page in development is hundreds of files to serve. */
const PATIENCE = 120_000;

/** What a page tells, and what its console says. */
const visit = async (url: string, consoleToo = false): Promise<readonly string[]> => {
  const page = await held.browser!.newPage();
  const errors: string[] = [];
  page.on('pageerror', (e) => errors.push(`thrown ${e.message}`));
  if (consoleToo) page.on('console', (m) => errors.push(`${m.type()} ${m.text()}`));
  try {
    await page.goto(url, { timeout: PATIENCE });
    await page.waitForFunction(() => (globalThis as { told?: string[] }).told?.at(-1) === 'end', undefined, {
      timeout: PATIENCE,
    });
    const lines = await page.evaluate(() => (globalThis as unknown as { told: string[] }).told);
    return [...lines.slice(0, -1), ...errors];
  } catch (e) {
    throw new Error(`${url}: ${String(e)} ${errors.join('; ')}`);
  } finally {
    await page.close();
  }
};

const running = async (mode: string, headers: Readonly<Record<string, string>>, outDir = 'dist'): Promise<string> => {
  const all = config(headers, plugins, outDir);
  const server = mode === 'dev' ? await createServer(all) : await preview(all);
  if ('listen' in server) await server.listen();
  closing.push(() => server.close());
  return server.resolvedUrls!.local[0];
};

describe.runIf(pagesAreTested)('in Chromium', () => {
  const urls: Record<string, string> = {};
  beforeAll(async () => {
    held.browser = await chromium.launch(launchOptions);
    closing.push(() => held.browser!.close());
    app();
    await build(config({}));
    await build(config({}, () => [], 'bare', ['bare']));
    urls.dev = await running('dev', isolated);
    urls.minified = await running('built', isolated);
    urls.alone = await running('built', {});
    urls.bare = await running('built', isolated, 'bare');
    urls.forbidden = await running('built', { 'Content-Security-Policy': "script-src 'self'" });
  }, 300_000);

  const want = {
    compile: [expect.stringMatching(/^wasm -?0\.\d+/)],
    fields: ['0.10000000149011612'],
    einsum: ['91'],
    files: ['1.5 -3', 'broken file/gzip', 'missing file/missing', 'at once file/gzip', 'written platform/node'],
    backends: ['wasm true', String(4095 * 4095)],
    artifact: [
      `${0.5 * 4095 * 4095} true`,
      '70 100 150 220',
      'early artifact/truncated',
      'old artifact/version',
      'missing file/missing',
    ],
  };
  describe.each(['dev', 'minified'])('%s', (mode) => {
    it.each(Object.entries(want))(
      '%s runs in a page and in a worker',
      async (name, lines) => {
        expect(await visit(`${urls[mode]}${name}.html`)).toEqual(lines);
        expect(await visit(`${urls[mode]}${name}-worker.html`)).toEqual(lines);
      },
      2 * PATIENCE,
    );
  });

  it.each(['backends', 'artifact'])(
    '%s runs on one thread where the page is not isolated, and says so once',
    async (name) => {
      const lines = await visit(`${urls.alone}${name}.html`, true);
      expect(lines[0]).toMatch(/ false$/);
      expect(lines.filter((line) => line.includes('wasm/one-thread'))).toEqual([
        expect.stringMatching(/^warning .*Cross-Origin-Opener-Policy/s),
      ]);
    },
  );

  it('says what is missing in a worker that was built without the plugin', async () => {
    expect(await visit(`${urls.bare}bare.html`)).toEqual(['code lang/unbound']);
  });

  it('says in the console what nobody catches', async () => {
    expect(await visit(`${urls.minified}uncaught.html`)).toEqual([expect.stringContaining('artifact/truncated')]);
  });

  it('says which part of a content policy forbids compiling', async () => {
    expect(await visit(`${urls.forbidden}fields.html`)).toEqual(['code wasm/policy']);
    expect(await visit(`${urls.forbidden}artifact.html`)).toEqual(['code wasm/policy']);
  });
});
