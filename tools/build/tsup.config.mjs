import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsup';
import { tsImport } from 'tsx/esm/api';
import { pureInitializers } from './pure-initializers.mjs';

/**
 * One bundle configuration for every package; tsup runs with the package's folder as the working directory. Entries are the
 * sources that the package's `exports` name under `@filigree/source`, and those its `bin` needs, so package.json is the
 * only place that says what a package offers. `"filigree": {"entries": ["src/worker.ts"]}` there adds files that are loaded
 * by URL at run time, that `imports` names, and that are to stay apart, since bundlers of pages take or leave whole files.
 * Declarations come from `tsc -b` (target `typecheck`), which is why `clean` leaves them alone.
 */
const folder = process.cwd();
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

const exported = Object.values(manifest.exports)
  .map((target) => target['@filigree/source'])
  .filter((source) => source !== undefined);
const commandLine = manifest.bin && existsSync(join(folder, 'src/cli.ts')) ? ['./src/cli.ts'] : [];
const extra = manifest.filigree?.entries ?? [];

/** What functions of the language that a package brings are wrapped in, as it imports that. @type {Readonly<Record<string, RegExp>>} */
const wrappers = {
  '@filigree/lang': /\/(inline|kernel)\.js$/,
  filigree: /^@filigree\/lang(\/kernels)?$/,
};

/**
 * Functions of the language keep their text, so that they survive this bundler, which gives names anew, and that of whoever uses them.
 * The plugin that does so is taken from the sources of `lang`, which cannot wait for itself.
 */
const keepsText = async () => {
  const modules = wrappers[manifest.name];
  if (!modules) return [];
  const plugin = new URL('../../packages/lang/src/plugin/esbuild.ts', import.meta.url).href;
  const { filigreeEsbuild } = await tsImport(plugin, import.meta.url);
  return [filigreeEsbuild({ modules })];
};

/**
 * What is used of fp-ts is bundled from its ES modules: Node finds only its CommonJS, of which bundlers cannot leave anything out.
 * @type {import('esbuild').Plugin}
 */
const usedOfFpTs = {
  name: 'used-of-fp-ts',
  setup: (build) => {
    build.onResolve({ filter: /^fp-ts\/lib\// }, ({ path, resolveDir, kind }) =>
      build.resolve(path.replace('/lib/', '/es6/'), { resolveDir, kind }),
    );
  },
};

/** `./src/node/loader.ts` → `node/loader`: an entry keeps its place below `src`, so that `exports` can name it. @param {string} source */
const outputName = (source) => source.replace(/^(\.\/)?src\//, '').replace(/\.ts$/, '');

export default defineConfig({
  entry: Object.fromEntries([...exported, ...commandLine, ...extra].map((source) => [outputName(source), source])),
  outDir: 'dist',
  format: 'esm',
  target: 'es2022',
  platform: 'node',
  removeNodeProtocol: false,
  splitting: true,
  /* What is built is readable, and the sources are in the package: maps would be a quarter of its size. */
  sourcemap: false,
  dts: false,
  /*
   * What stands in `dependencies` and `peerDependencies` stays outside by itself; this does not, nor does what a package imports of its own.
   * What it imports by `#NAME` differs between Node and browsers, and is chosen by whoever loads or bundles it.
   */
  external: [...Object.keys(manifest.optionalDependencies ?? {}), '@filigree/lang/runtime', /^#/],
  noExternal: [/^fp-ts\//],
  esbuildPlugins: [usedOfFpTs, ...(await keepsText())],
  plugins: [
    {
      name: 'pure-initializers',
      renderChunk: (code, { path }) => (path.endsWith('.js') ? { code: pureInitializers(code) } : undefined),
    },
  ],
  clean: ['!**/*.d.ts'],
  silent: true,
});
