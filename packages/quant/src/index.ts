export { fixed } from './formats/fixed.js';
export { float } from './formats/float.js';
export { int, type SignOptions } from './formats/int.js';
export { packed } from './formats/packed.js';
export { quantFormats } from './formats/quant-formats.js';
export { fuseStores } from './passes/fuse-stores.js';
export { ownWords } from './passes/own-words.js';
export { quantPasses, quantPassesByName, quantSpec, type QuantOptions } from './passes/quant-passes.js';
export { wholeWords } from './passes/whole-words.js';
