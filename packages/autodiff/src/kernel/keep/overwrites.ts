import { fail, locText, type Builder, type Kernel, type Op, type Value } from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import type { Accesses, Use } from '../elements/accesses.js';
import type { ClearedBy } from '../elements/cleared.js';
import type { ElementOpOf } from '../elements/element-ops.js';
import type { Settled } from './hold.js';
import type { Loss } from './lost.js';
import type { KeptReads } from './kept-reads.js';
import type { Needs } from './needs.js';
import { isRounded } from '../elements/rounded.js';
import type { StandingOf } from '../elements/standing.js';
import { areApart, textOf, type Touched } from '../elements/touched.js';

/** What an adjoint knows of elements that its primal overwrites. */
export interface Overwritten {
  /** Why what an op reads is not there any more; nothing where it is. */
  readonly lossOf: (read: Op) => Loss | undefined;
  /** The element that has a value in the end, if one has. */
  readonly inTheEnd: (b: Builder, v: Value, valueOf: (v: Value) => Value) => Value | undefined;
}

/**
 * Elements are as the launch left them, but of fields that are `kept`, which are as they were before it. What an op reads is there if it was written for the last time before that, in a loop before or
 * at the same index; or of what is kept if it was not written yet; or if what is written is certainly another element: `x[t + 1][j]` and `x[t][k]`.
 */
export const overwrittenBy = (
  standingOf: StandingOf,
  settled: ReadonlyMap<number, Settled>,
  kept: ReadonlySet<string>,
  keptReads: KeptReads | undefined,
): Overwritten => ({
  lossOf: (op) => {
    const standing = standingOf(op);
    const field = op.attrs.field as string | undefined;
    if (!standing || field === undefined || (kept.has(field) ? standing.was : standing.stays)) return undefined;
    const { touched, overwritten, was } = standing;
    const read = keptReads?.numberOf(op);
    const where = [op.loc, overwritten?.loc].map((loc) => (loc ? ` (${locText(loc)})` : ''));
    return {
      why: `${textOf(touched)} as it was read${where[0]}, and what may be overwritten${where[1]}`,
      remedy:
        'write into another field, or into other elements, such as those of the next step: x[t + 1][i]; or let a kernel of its own read it, or write it; or let iterations of a parallel loop certainly stay in a part of the field of their own, by loops between numbers, so that what they read can be kept',
      ...(was ? { keep: field } : { overwritten: true }),
      ...(read !== undefined && { read }),
    };
  },
  inTheEnd: (b, v, valueOf) => {
    const element = settled.get(v.id);
    if (!element || kept.has(element.field)) return undefined;
    return b.value('field.load', element.index.map(valueOf), { field: element.field });
  },
});

/**
 * What an adjoint reads of elements as the launch left them, and what its primal writes.
 *
 * @param remade places of the kernel's own that the adjoint makes again before it reads them
 */
export const needsOf = (
  { uses: before }: Accesses,
  { uses: after }: Accesses,
  elementOf: ElementOpOf,
  cleared: ClearedBy,
  kept: ReadonlySet<string>,
  remade: ReadonlySet<string>,
): Needs => {
  const reads = before.filter((u) => !u.writes);
  const needed = after.filter(
    ({ op, writes, touched }) => !writes && !kept.has(String(op.attrs.field)) && !remade.has(touched.place),
  );
  /* Of needs the primal knows where in its text they were read. */
  const readAt = (need: Use): Use['op']['loc'] => (reads.find((r) => r.key === need.key) ?? need).op.loc;
  const distinct = (uses: readonly Use[], locOf = (u: Use) => u.op.loc): readonly Touched[] => [
    ...new Map(
      uses.map((u) => {
        const { place, index } = u.touched;
        return [JSON.stringify([place, index]), { place, index, loc: locOf(u) }];
      }),
    ).values(),
  ];
  const written = before.filter((u) => u.writes);
  const writes = new Set(
    written.flatMap(({ op }) => {
      const { field } = op.attrs;
      return [...(typeof field === 'string' ? [field, ...(elementOf(op)?.encodedWith ?? [])] : []), ...cleared(op)];
    }),
  );
  return {
    needed: distinct(needed, readAt),
    written: distinct(written),
    kept: [...kept],
    writes: [...writes],
  };
};

/**
 * Refuses minima and maxima in place of which something else may stand in the end, or which are read while they are found: which value an element had
 * from is seen from what it has in the end. Error: `adjoint/extremum`.
 */
export const refuseRunningExtrema = (
  primal: Kernel,
  { uses }: Accesses,
  layout: Layout,
  elementOf: ElementOpOf,
  kept: ReadonlySet<string>,
): void => {
  const isExtremum = ({ op }: Use): boolean => op.attrs.kind === 'min' || op.attrs.kind === 'max';
  for (const use of uses) {
    const element = elementOf(use.op);
    if (!isExtremum(use) || !element?.adjoint || !element.lasting) continue;
    if (isRounded(layout, String(use.op.attrs.field)))
      fail(
        'adjoint/extremum',
        `kernel '${primal.name}' finds extrema in ${use.touched.place}, which is stored in a format`,
        {
          loc: use.op.loc,
          remedy: 'find them in a field that is stored as it computes, and set this one from it in a kernel of its own',
        },
      );
    const other = uses.find(
      (u) =>
        !areApart(u.touched, use.touched) &&
        !(isExtremum(u) && u.op.attrs.kind === use.op.attrs.kind) &&
        (u.writes ? u.top >= use.top : u.top === use.top || kept.has(String(u.op.attrs.field))),
    );
    if (other)
      fail('adjoint/extremum', `kernel '${primal.name}' finds extrema in ${use.touched.place}, and uses it meanwhile`, {
        loc: other.op.loc ?? use.op.loc,
        remedy:
          'read it after the loop that finds them, set it in a kernel that is launched before, and write it in a kernel of its own',
      });
  }
};
