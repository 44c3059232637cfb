import { coreDialects, walk, type Buffers, type Dialect, type Kernel, type Region } from '@filigree/ir';
import { factsOf } from '../support/facts.js';
import { rangesOf } from './analysis.js';
import { choicesBy } from './choices.js';

/** What a target may know about the integers of a kernel, by the ids of values. */
export interface KnownIntegers {
  /** Sums, differences, products and left shifts whose results never leave their type, so that they may be computed without regard to wrapping. */
  readonly exact: ReadonlySet<number>;
  /** Indices of loads that conditions choose of two. */
  readonly choices: ReadonlySet<number>;
}

export const knownIntegers = (
  kernel: Kernel,
  buffers: Buffers,
  dialects: readonly Dialect[] = coreDialects,
): KnownIntegers => {
  const [exact, choices] = [new Set<number>(), new Set<number>()];
  if (!computesIntegers(kernel)) return { exact, choices };
  const facts = factsOf(dialects);
  const [ranges, chosen] = [rangesOf(kernel, buffers, facts), choicesBy(facts)];
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      if (op.results.length === 1 && op.regions.length === 0 && ranges.exact(op)) exact.add(op.results[0]!.id);
      for (const { index, kind } of facts.accesses(op) ?? [])
        for (const v of index) if (kind === 'read' && chosen.has(v)) choices.add(v.id);
      for (const r of op.regions) ranges.within(op, r, () => visit(r));
      chosen.note(op);
    }
  };
  visit(kernel.body);
  return { exact, choices };
};

const computesIntegers = (kernel: Kernel): boolean => {
  let found = false;
  walk(kernel.body, (op) => {
    const type = op.results[0]?.type;
    found ||= type === 'i32' || type === 'i64';
  });
  return found;
};
