import { placeOfField, type Needs } from '@filigree/autodiff';
import type { AdjointKernels } from './derivative-kernels.js';

/** The needs of what overwrites fields and has no derivative of its own. */
export const overwriting = (writes: readonly string[]): Needs => ({
  needed: [],
  written: writes.map((f) => ({ place: placeOfField(f), index: [] })),
  kept: [],
  writes,
});

/** The same of a kernel. What it does to adjoints, as where it clears cells, is nothing that others need: they hold nothing while launches are recorded. */
export const overwritingAs = ({ writes, fields }: Pick<AdjointKernels, 'writes' | 'fields'>, kernel: string): Needs => {
  const adjoints = new Set(Object.values(fields));
  return overwriting(writes.get(kernel)!.filter((f) => !adjoints.has(f)));
};
