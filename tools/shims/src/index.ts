export { explanations, type BackendExplanations } from './explanations.js';
export { inSingles } from './in-singles.js';
export {
  cudaInterleaved,
  cudaMachine,
  cudaOnCpu,
  cudaSanitized,
  driverOnCpu,
  hipMachine,
  hipOnCpu,
  hipOnCpu64,
  hipSanitized64,
  metalOnCpu,
  metalSanitized,
  type Order,
} from './on-cpu.js';
export { sanitizerFirst, type SanitizerFirst } from './sanitizer.js';
export { skipsPage } from './skips-page.js';
