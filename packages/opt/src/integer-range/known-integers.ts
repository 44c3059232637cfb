import { coreDialects, walk, type Buffers, type Dialect, type Kernel, type Region } from '@filigree/ir';
import { factsOf } from '../support/facts.js';
import { rangesOf } from './analysis.js';

/** What a target may know about the integers of a kernel, by the ids of values. */
export interface KnownIntegers {
  /** Sums, differences, products and left shifts whose results never leave their type, so that they may be computed without regard to wrapping. */
  readonly exact: ReadonlySet<number>;
  /** Indices of loads that are 0 or 1, as conditions make them. */
  readonly bits: ReadonlySet<number>;
}

export const knownIntegers = (
  kernel: Kernel,
  buffers: Buffers,
  dialects: readonly Dialect[] = coreDialects,
): KnownIntegers => {
  const [exact, bits] = [new Set<number>(), new Set<number>()];
  if (!computesIntegers(kernel)) return { exact, bits };
  const facts = factsOf(dialects);
  const ranges = rangesOf(kernel, buffers, facts);
  const computed = new Set<number>();
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      if (op.results.length === 1 && op.regions.length === 0 && ranges.exact(op)) exact.add(op.results[0]!.id);
      for (const {
        index: [v, ...more],
        kind,
      } of facts.accesses(op) ?? []) {
        const range = v && more.length === 0 && kind === 'read' && computed.has(v.id) ? ranges.of(v) : undefined;
        if (range?.lo === 0 && range.hi === 1) bits.add(v!.id);
      }
      for (const r of op.regions) ranges.within(op, r, () => visit(r));
      for (const r of op.results) computed.add(r.id);
    }
  };
  visit(kernel.body);
  return { exact, bits };
};

const computesIntegers = (kernel: Kernel): boolean => {
  let found = false;
  walk(kernel.body, (op) => {
    const type = op.results[0]?.type;
    found ||= type === 'i32' || type === 'i64';
  });
  return found;
};
