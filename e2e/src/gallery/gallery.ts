import type { Example } from 'filigree';
import { EXPERIMENTS } from './experiments.js';
import { FIELD_EXAMPLES } from './fields/index.js';
import { start } from './start.js';

/** The examples of `filigree run`, by name. */
export const gallery: Readonly<Record<string, Example>> = Object.fromEntries(
  [start, ...EXPERIMENTS, ...FIELD_EXAMPLES].map((e) => [e.name, e]),
);
