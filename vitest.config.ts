import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@filigree/source'] },
  ssr: { resolve: { conditions: ['@filigree/source'], externalConditions: ['@filigree/source'] } },
  test: {
    include: ['packages/*/tests/**/*.test.ts', 'tools/*/tests/**/*.test.ts', 'e2e/tests/**/*.test.ts'],
    testTimeout: 60_000,
  },
});
