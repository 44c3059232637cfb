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
  metalInPairsOnCpu,
  metalInterleaved,
  metalOnCpu,
  metalSanitized,
} from './on-cpu.js';
export { hasObjectiveC, metalByHost, metalHostMachine, type StandIn } from './metal-stand-in.js';
export type { Order } from './order.js';
export { sanitizerFirst, type SanitizerFirst } from './sanitizer.js';
export { skipsPage } from './skips-page.js';
