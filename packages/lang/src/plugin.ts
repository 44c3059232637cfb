export { filigreeRollup, filigreeVite, type RollupPlugin } from './plugin/rollup.js';
export { filigreeEsbuild, type EsbuildPlugin } from './plugin/esbuild.js';
export { programOf, textOfTree, treeOf, treeOfText, type Tree } from './source/tree.js';
export { transform, type TransformOptions, type TransformResult } from './plugin/transform.js';
