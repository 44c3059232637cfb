/**
 * `fast-check` as tests have it where a seed is given (see vitest.config.ts): every property draws from that seed.
 */
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FILIGREE_SEED) });

export * from 'fast-check';
export default fc;
