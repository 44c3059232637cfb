import type { Example } from 'filigree';
import { EXPERIMENTS } from './experiments.js';
import { mgpcgExample } from './fields/mgpcg.js';
import { mpm2dExample } from './fields/mpm.js';
import { start } from './start.js';

/** The examples of `filigree run`, by name. */
export const gallery: Readonly<Record<string, Example>> = Object.fromEntries(
  [start, ...EXPERIMENTS, mpm2dExample, mgpcgExample].map((e) => [e.name, e]),
);
