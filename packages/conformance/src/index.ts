export { conformance, type ConformanceOptions } from './conformance.js';
export { skips, type Explanation, type Skip, type Skipping } from './prepare.js';
export type { ConformanceCase, Outcome } from './outcome.js';
export { conformancePrograms } from './programs/index.js';
export { randomPrograms } from './random/random-program.js';
export { type Program, type Launch } from './program.js';
export { difference } from './compare.js';
export { requirements, type Requirements } from './requirements.js';
export { explore, withoutEachFence, type Bounds, type Explored, type Protocol } from './order/explore.js';
