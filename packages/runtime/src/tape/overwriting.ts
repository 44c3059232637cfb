import { placeOfField, type Needs } from '@filigree/autodiff';

/** The needs of what overwrites fields and has no derivative of its own. */
export const overwriting = (writes: readonly string[]): Needs => ({
  needed: [],
  written: writes.map((f) => ({ place: placeOfField(f), index: [] })),
  kept: [],
  writes,
});
