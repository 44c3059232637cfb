import type { Example } from 'filigree';
import { DERIVATIVE_EXAMPLES } from './derivatives/index.js';
import { EXPERIMENTS } from './experiments.js';
import { FIELD_EXAMPLES } from './fields/index.js';
import { QUEUED_EXAMPLES } from './queued.js';
import { SIMULATOR_EXAMPLES } from './simulators/index.js';
import { start } from './start.js';
import { TENSOR_EXAMPLES } from './tensors/index.js';

/** The examples of `filigree run`, by name. */
export const gallery: Readonly<Record<string, Example>> = Object.fromEntries(
  [
    start,
    ...EXPERIMENTS,
    ...DERIVATIVE_EXAMPLES,
    ...FIELD_EXAMPLES,
    ...SIMULATOR_EXAMPLES,
    ...QUEUED_EXAMPLES,
    ...TENSOR_EXAMPLES,
  ].map((e) => [e.name, e]),
);
