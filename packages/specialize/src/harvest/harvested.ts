import type { Repetition } from '../group/groups.js';
import type { Grouping } from '../group/group.js';
import type { Template } from './template.js';
import type { Column } from './columns.js';

/** A template with the columns that fill its variables: first `columns`, then `constants`. */
export interface Body {
  readonly template: Template;
  readonly columns: readonly Column[];
  readonly constants: readonly Float64Array[];
}

/** A group ready for simplification: `units.length` instances of one body, or a sum over segments of terms. */
export interface HarvestedGroup {
  readonly level: number;
  /** As in `Group`. */
  readonly repeated?: Repetition;
  readonly units: Int32Array;
  /** Values each instance computes; a rolled sum computes one. */
  readonly body: Body | undefined;
  /** For rolled sums: the terms of instance i are the entries `[ptr[i], ptr[i + 1])` of the segment's columns. */
  readonly segments: readonly Segment[];
  /**
   * For rolled sums whose terms of several kinds must be added in the order of the program, and do not come kind by kind: the
   * segment of each term, the terms of an instance one after the other. Absent where segment comes after segment.
   */
  readonly turns?: Int32Array;
}

/** A group that is no group of units: where the values of its instances go stands beside it. */
export interface ListedGroup extends HarvestedGroup {
  /** For each value of an instance the positions of an output that it is written to, one column each. */
  readonly move: { readonly output: number; readonly positions: readonly (readonly Int32Array[])[] };
}

/** Where the terms of each instance of a rolled sum begin, of all segments together. */
export const termStarts = ({
  units,
  segments,
}: {
  readonly units: Int32Array;
  readonly segments: readonly Segment[];
}): Int32Array => Int32Array.from({ length: units.length + 1 }, (_, i) => segments.reduce((n, s) => n + s.ptr[i], 0));

/** Terms of one kind in a rolled sum, minimum or maximum. */
export interface Segment extends Body {
  readonly ptr: Int32Array;
  /** The operation that terms are joined by. */
  readonly operation: number;
}

/** A grouping with the leaves of every group, and what later stages need to know. */
export interface Harvest extends Pick<
  Grouping,
  'graph' | 'inputs' | 'outputs' | 'ptr' | 'roots' | 'level' | 'destinations'
> {
  readonly harvested: readonly HarvestedGroup[];
  /** Those of products whose entries are no nodes. */
  readonly listed: readonly ListedGroup[];
  /** Values have numbers below this: nodes of the graph, and behind them the values of elements. */
  readonly ids: number;
  /** Units in the order of the program. */
  readonly written: Int32Array;
  /** How often instances load values of each level, in all. */
  readonly loadsOfLevel: Float64Array;
}
