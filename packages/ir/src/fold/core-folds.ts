import type { Fold, OpDef } from '../kernel/dialect.js';
import { arithmetic } from './arithmetic.js';
import { bitwise } from './bitwise.js';
import { casts } from './casts.js';
import { comparison } from './comparison.js';

/** The definition of a core op with its fold, if it has one. */
export const withFold = (def: OpDef): OpDef => {
  const fold = folds[def.name];
  return fold ? { ...def, fold } : def;
};

const folds: Readonly<Partial<Record<string, Fold>>> = { ...arithmetic, ...bitwise, ...comparison, ...casts };
