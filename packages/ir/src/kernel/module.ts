import type { LayoutTree } from './layout.js';
import type { Attrs, Buffer, Kernel } from './op.js';

/** A program: buffers, and the kernels that work on them, in the order in which they run. */
export interface Module {
  readonly name: string;
  /** Where the fields lie that its kernels work on, until they are lowered to buffers. */
  readonly layout?: LayoutTree;
  readonly buffers: readonly Buffer[];
  readonly kernels: readonly Kernel[];
  readonly attrs: Attrs;
}
