export { explanations, type BackendExplanations } from './explanations.js';
export { inSingles } from './in-singles.js';
export {
  cudaInterleaved,
  cudaMachine,
  cudaOnCpu,
  driverOnCpu,
  hipOnCpu,
  hipOnCpu64,
  metalOnCpu,
  type Order,
} from './on-cpu.js';
export { skipsPage } from './skips-page.js';
