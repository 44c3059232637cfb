/** The passes over kernels whose fields are stored in few bits, and what they count, without the formats. */
export { fuseStores } from './fuse-stores.js';
export { countLosses } from './losses/count-losses.js';
export { addLosses, lossesIn, lossesName, lossPlaces, type Loss } from './losses/losses.js';
export { quantPasses, quantPassesByName } from './quant-passes.js';
export { notesOnBits } from './words/notes.js';
export { vectorizeBits } from './words/vectorize-bits.js';
export { wholeWords } from './whole-words.js';
