import type { Value } from '@filigree/ir';
import type { NodeStorage } from '../../storage/storage.js';
import { plus, type Address, type Emit, type Test } from './address.js';
import { AMBIENT_CELL, SINK_CELL } from './pool-cell.js';

/** A lookup: the container, what the number of the cell is made of, and coordinates where they are needed. */
export interface Lookup {
  readonly node: NodeStorage;
  readonly container: Address;
  /** Undefined for a hash table. */
  readonly number: CellNumber | undefined;
  /** The same or, out of bounds, that of a cell of the row that is there instead: to be read from, or to be written to. */
  readonly place: CellNumber | undefined;
  /** Whether a digit may be just past the last. */
  readonly past: boolean;
  readonly coordinates: readonly Value[];
  /** i1, whether the indices are within bounds: otherwise there is no such cell. Undefined where they always are. */
  readonly inside: Value | undefined;
  readonly activate: boolean;
  /** Whether it is for what is written, or activated. */
  readonly written: boolean;
  readonly site: number;
}

/** The number of a cell in its container, as a value or as the place that it gives among things of some size. */
export interface CellNumber {
  readonly value: () => Value;
  readonly times: (address: Address, bytes: number) => Address;
  /** Whether it is that of a slot on the border, or of a cell behind the last. */
  readonly isOutside: Test;
}

/** Whether a cell that is missing cannot be made, as it is out of bounds or would be linked from a sink. */
export const lostOf = ({ container, number, past }: Lookup): readonly Test[] => [
  ...container.lost,
  ...(number && past ? [number.isOutside] : []),
];

/** The number of a pool's cell or, out of bounds, of the one that is there instead: to be read from, or to be written to. */
export const orOutside = ({ b }: Emit, { inside, written }: Lookup, number: Value): Value =>
  inside ? b.select(inside, number, b.i32(written ? SINK_CELL : AMBIENT_CELL)) : number;

/** The number of a cell that is not to be made: on a border and in a sink there is none, and what is written is not written to the ambient one. */
export const orNone = ({ b }: Emit, { written }: Lookup, number: Value): Value =>
  written ? b.max(number, b.i32(SINK_CELL)) : number;

/** Where the container holds the number of a pool's cell. */
export const slotAddress = ({ node, container }: Lookup, number: CellNumber): Address =>
  number.times(plus(container, node.slots!), 4);
