export * from './formats/index.js';
export { fuseStores } from './passes/fuse-stores.js';
export { countLosses } from './passes/losses/count-losses.js';
export { addLosses, lossesIn, lossesName, lossPlaces, type Loss } from './passes/losses/losses.js';
export { quantSpec, type QuantOptions } from './options.js';
export { quantPasses, quantPassesByName } from './passes/quant-passes.js';
export { notesOnBits } from './passes/words/notes.js';
export { vectorizeBits } from './passes/words/vectorize-bits.js';
export { wholeWords } from './passes/whole-words.js';
