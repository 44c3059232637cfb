/** The share of what is tried again and again that is to be tried here, such as random programs; in CI a part of it (vitest.config.ts). */
export const share = Number(process.env['FILIGREE_RUNS'] ?? 1);
