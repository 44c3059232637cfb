export { inSingles } from './in-singles.js';
export { cudaMachine, cudaOnCpu, driverOnCpu, hipOnCpu, metalOnCpu, type Order } from './on-cpu.js';
