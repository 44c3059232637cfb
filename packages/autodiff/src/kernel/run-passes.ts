import type { Module, Pass } from '@filigree/ir';

/** Runs passes that cannot fail on what is well-formed. */
export const runPasses = (module: Module, list: readonly Pass<Module>[]): Module =>
  list.reduce((m, p) => {
    const done = p.run(m);
    if (done._tag === 'Left') throw new Error(`${p.name}: ${done.left[0].message}`);
    return done.right;
  }, module);
