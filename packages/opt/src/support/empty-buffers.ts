import type { Buffer } from '@filigree/ir';

/** The buffers without elements, as ops name them. Of any other the first element may be read where no other one is asked for. */
export const emptyBuffers = (buffers: readonly Buffer[]): ReadonlySet<string> =>
  new Set(buffers.flatMap(({ name, length }) => (length === 0 ? [`@${name}`] : [])));
