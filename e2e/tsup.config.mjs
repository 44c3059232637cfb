import { defineConfig } from 'tsup';

/**
 * One file out for each file in, not a bundle: programs are traced from their own text, in which a bundler may rename what
 * the stated scopes name.
 */
export default defineConfig({
  entry: ['src/**/*.ts'],
  outDir: 'dist',
  bundle: false,
  format: 'esm',
  target: 'es2022',
  platform: 'node',
  sourcemap: true,
  dts: false,
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
  clean: ['!**/*.d.ts', '!**/*.d.ts.map'],
  silent: true,
});
