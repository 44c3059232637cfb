import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  worker: { format: 'es' },
  build: { target: 'es2023', outDir: 'out', emptyOutDir: true, chunkSizeWarningLimit: 2000 },
});
