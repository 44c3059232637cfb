import type { AtomicKind, Scalar } from '@filigree/ir';

/** Coordinates of an element, of a cell, or of the container of a list: one for each axis split so far, ascending. */
export type Coordinates = readonly number[];

/**
 * What ops on fields do, wherever the fields lie: their meaning. Nodes are numbers.
 *
 * Out of bounds there is nothing: reading gives the ambient value, and writing does nothing. What is written activates the cells
 * around it; a list becomes as long as that takes, and what goes beyond its most is reported.
 */
export interface FieldOps {
  /** The value of an element, the ambient one where it is not active or out of bounds. */
  load(field: string, at: Coordinates): Scalar;
  /** Writes an element, and activates the cells around it; unless it is to activate none, then only where it is active. */
  store(field: string, at: Coordinates, value: Scalar, activate?: boolean): void;
  /** Writes several fields of an element at once, which share a word. */
  storeWord(fields: readonly string[], at: Coordinates, values: readonly Scalar[], activate?: boolean): void;
  /** Combines an element with a value, as `store` writes it; gives the old one. */
  atomic(field: string, at: Coordinates, kind: AtomicKind, value: Scalar, activate?: boolean): Scalar;
  /** Whether a cell of a node is active, and all around it. */
  isActive(node: number, at: Coordinates): boolean;
  /** Activates the cell of a node, and all around it. */
  activate(node: number, at: Coordinates): void;
  /** Takes out a cell of a node, and all within it; of a node that is not sparse what lies in the cell becomes ambient. */
  deactivate(node: number, at: Coordinates): void;
  /** Adds a cell to a list; gives its number, and that just past the last where there is no room or no list. */
  append(node: number, container: Coordinates): number;
  /** Cells of a list; 0 where there is none. */
  length(node: number, container: Coordinates): number;
  /** Empties a list. */
  clear(node: number, container: Coordinates): void;
  /** Takes out all cells of a node, and all within them. */
  clearAll(node: number): void;
  /** Coordinates of the active cells of a node, a list of its own that later changes do not change. */
  active(node: number): readonly Coordinates[];
}
