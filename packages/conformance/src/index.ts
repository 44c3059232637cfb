export { conformance, type ConformanceCase, type ConformanceOptions, type Outcome } from './conformance.js';
export { conformancePrograms } from './programs/index.js';
export { type Program, type Launch } from './program.js';
export { difference } from './compare.js';
export { requirements, type Requirements } from './requirements.js';
