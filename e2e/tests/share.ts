/** The share of what is tried again and again that is to be tried here, such as random programs; in CI a part of it (vitest.config.ts). */
export const share = Number(process.env['FILIGREE_RUNS'] ?? 1);

/** The cases that are tried on a backend: all, or where little is to be tried again each on one of the backends. */
export const byTurns = <T>(cases: readonly T[], backends: readonly string[], backend: string): readonly T[] =>
  cases.filter((_, k) => share >= 1 || backends[k % backends.length] === backend);
