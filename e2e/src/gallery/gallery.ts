import type { Example } from 'filigree';
import { EXPERIMENTS } from './experiments.js';
import { FIELD_EXAMPLES } from './fields/index.js';
import { start } from './start.js';
import { TENSOR_EXAMPLES } from './tensors/index.js';

/** The examples of `filigree run`, by name. */
export const gallery: Readonly<Record<string, Example>> = Object.fromEntries(
  [start, ...EXPERIMENTS, ...FIELD_EXAMPLES, ...TENSOR_EXAMPLES].map((e) => [e.name, e]),
);
