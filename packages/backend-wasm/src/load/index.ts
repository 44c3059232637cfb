export { loadCode } from './load.js';
export { sharedMemoryAllowed } from './memory.js';
