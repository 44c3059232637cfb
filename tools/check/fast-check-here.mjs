/**
 * `fast-check` as tests have it where the environment says how properties run (see vitest.config.ts): from which seed they
 * draw, and how many cases they try, as a multiple of what they ask for.
 */
import fc from 'fast-check';

const { FILIGREE_SEED: seed, FILIGREE_RUNS: share } = process.env;

if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

/** What a property runs by where it does not say: fast-check's own number. */
const DEFAULT_RUNS = 100;

/** @type {typeof fc.assert} */
export const assert = (/** @type {any} */ property, /** @type {any} */ parameters) => {
  const runs = Math.ceil((parameters?.numRuns ?? DEFAULT_RUNS) * Number(share ?? 1));
  return fc.assert(property, { ...parameters, numRuns: runs });
};

export * from 'fast-check';
export default { ...fc, assert };
