import type { Loc } from '../diagnostics/diagnostic.js';
import type { Attrs } from './op.js';
import type { ScalarType } from './type.js';

/**
 * Where the fields of a module lie: a tree whose cells hold fields and further nodes (thesis §2.3.2). It is plain data here; what the
 * kinds of nodes are and mean, the owner of the dialect says that has ops on fields.
 */
export interface LayoutTree {
  readonly branches: readonly LayoutNode[];
}

/** A node: an array of cells. A cell holds fields, side by side, and after them the arrays of further nodes. */
export interface LayoutNode {
  /** `dense`, `hash`, `dynamic`. */
  readonly kind: string;
  /** The axes that it splits, from 0 for i, and how many cells along each. */
  readonly axes: readonly number[];
  readonly extents: readonly number[];
  /** What else there is to say: `{pointer = true, cells = 100}`. */
  readonly attrs: Attrs;
  readonly fields: readonly LayoutField[];
  readonly children: readonly LayoutNode[];
  readonly loc?: Loc;
}

/** A scalar field: a value in each cell of the node around it. */
export interface LayoutField {
  readonly name: string;
  /** What kernels compute with. */
  readonly type: ScalarType;
  /** What it holds where no cell is active. */
  readonly ambient: number;
  /** How its values are stored; as what they are, if absent. */
  readonly format?: LayoutFormat;
  /** The word that it shares with fields beside it, which name the same; none if absent. */
  readonly word?: LayoutWord;
  readonly loc?: Loc;
}

/** A way to store numbers, by its name: `fixed {bits = 10}`. What the names mean, their owners say. */
export interface LayoutFormat {
  readonly name: string;
  readonly attrs: Attrs;
}

/** A machine word that several fields share. */
export interface LayoutWord {
  /** The first field in it. */
  readonly first: string;
  readonly bits: number;
}

/** Names of the axes, in order: there are no more. */
export const AXIS_NAMES = 'ijklmnop';
