import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { SuitesFirst } from './tools/check/suites-first.mjs';

/**
 * Tests run on the sources. With FILIGREE_BUILT=1 they run on the built packages instead, as a user has them; the benchmarks
 * and shims, which nobody builds, are then reached by alias.
 */
const built = process.env.FILIGREE_BUILT === '1';
const conditions = built ? [] : ['@filigree/source'];
/* Flags of Node for processes that tests start: they run TypeScript, and import the packages as the tests do. */
process.env.FILIGREE_NODE_FLAGS = [
  ...conditions.map((c) => `--conditions=${c}`),
  `--import=${import.meta.resolve('tsx')}`,
].join(' ');
const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/*
 * In CI properties draw from one seed, so that no change is refused for a defect that it did not bring. More cases of the same
 * seed would find nothing new from one change to the next: `npm run fuzz` is what looks for new ones.
 */
if (process.env.CI === 'true') {
  process.env.FILIGREE_SEED ??= '1';
  process.env.FILIGREE_RUNS ??= '0.2';
}

/* What baselines compute is tested, and what they take is measured elsewhere: a third less to compile Eigen. */
process.env.FILIGREE_BASELINE_LEVEL ??= '-O1';
process.env.FILIGREE_BENCH_ROUNDS ??= '2';

/* Tests leave the user's cache alone, share what they compile, and are quick the second time all the same. */
process.env.FILIGREE_CACHE_DIR ??= join(tmpdir(), 'filigree-test-cache');

/** Gives tests a `fast-check` that has its seed and number of runs from the environment. A setup file would load it for every test. */
const properties: Plugin = {
  name: 'properties',
  enforce: 'pre',
  resolveId: (id, importer) => {
    const by = source('tools/check/fast-check-here.mjs');
    return id === 'fast-check' && importer !== by ? by : undefined;
  },
};

/** In place of the sources of the gallery, whose tests import them by path, the bundle. */
const builtGallery: Plugin = {
  name: 'built-gallery',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id === '../src/index.js' && importer?.includes('/e2e/tests/') ? source('e2e/dist/index.js') : undefined,
};

const exclude = ['**/node_modules/**', '**/dist/**', '**/out/**'];

/* Test files that want a process of their own. */
const alone = '**/*.alone.test.ts';

export default defineConfig({
  plugins: [
    ...((process.env.FILIGREE_SEED ?? process.env.FILIGREE_RUNS) ? [properties] : []),
    ...(built ? [builtGallery] : []),
  ],
  resolve: {
    ...(built ? {} : { conditions }),
    alias: built
      ? ['bench', 'shims'].map((tool) => ({
          find: new RegExp(`^@filigree/${tool}$`),
          replacement: source(`tools/${tool}/src/index.ts`),
        }))
      : [],
  },
  ssr: { resolve: built ? {} : { conditions, externalConditions: conditions } },
  test: {
    projects: [
      /*
       * The files that a worker runs share what it has loaded, and what V8 has compiled of it: half of all time. What a test changes outside of
       * itself (environment, spies) it puts back.
       */
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['{packages,tools}/*/tests/**/*.test.ts', 'e2e/tests/**/*.test.ts'],
          exclude: [...exclude, alone],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: [alone], exclude } },
    ],
    /* As the command line has it: tests compile kernels, see docs/decisions/command-line.md. */
    execArgv: ['--interrupt-budget=540672'],
    sequence: { sequencer: SuitesFirst },
    setupFiles: [source('tools/check/equal-bytes.mjs')],
    /* By default one processor is left idle, which on two doubles the time. */
    maxWorkers: availableParallelism(),
    /* A test that compares nothing fails: it returned early, or looped over nothing. */
    expect: { requireAssertions: true },
    /* Bundles are loaded by Node itself, as users have them; transformed they take ten times as long. */
    ...(built ? { server: { deps: { external: [/\/dist\//] } } } : {}),
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
