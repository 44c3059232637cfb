export { inSingles } from './in-singles.js';
export { cudaOnCpu, hipOnCpu, metalOnCpu, type Order } from './on-cpu.js';
