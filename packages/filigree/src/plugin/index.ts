export { filigreeEsbuild } from './esbuild.js';
export { filigreeRollup, filigreeVite, type RollupPlugins } from './rollup.js';
export type { PluginOptions } from './artifacts.js';
