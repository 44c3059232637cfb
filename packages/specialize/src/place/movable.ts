import type { HarvestedGroup, ListedGroup } from '../harvest/harvested.js';

/** A group of values to compute or move, as harvesting or `moves` left it. */
export interface Movable extends Omit<HarvestedGroup, 'units'> {
  readonly units: Int32Array;
  /** For moves and listed groups: output and position of each instance, in place of the destinations of its unit. */
  readonly move?: ListedGroup['move'];
}
