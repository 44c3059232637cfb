import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Tests run on the sources. With FILIGREE_BUILT=1 they run on the built packages instead, as a user has them; the private
 * workspaces, which nobody builds, are then reached by alias.
 */
const built = process.env.FILIGREE_BUILT === '1';
const conditions = built ? [] : ['@filigree/source'];
const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    ...(built ? {} : { conditions }),
    alias: built
      ? [
          { find: /^@filigree\/e2e$/, replacement: source('e2e/src/index.ts') },
          { find: /^@filigree\/bench$/, replacement: source('tools/bench/src/index.ts') },
        ]
      : [],
  },
  ssr: { resolve: built ? {} : { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/tests/**/*.test.ts', 'tools/*/tests/**/*.test.ts', 'e2e/tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/out/**'],
    /* By default one processor is left idle, which on two doubles the time. */
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
