export { instantiate, type Instance, type InstantiateOptions } from './instantiate.js';
export { availability, chooseBackend } from './choose.js';
export { peakRssMB } from './peak-memory.js';
