import type { DataType, Recording } from './recording.js';

/** A program of a bundle: its calls, and by how much what it reads may differ from what was read here. */
export interface BundledProgram {
  readonly name: string;
  readonly kind: Kind;
  readonly recording: Recording;
  readonly tolerance: (type: DataType) => string;
  /** What lies beside it, for others who do the same. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
}

/** What programs are for; those of the last three are measured in parts. */
export type Kind = 'conformance' | 'gallery' | 'rate' | 'algebra' | 'fields';

/** One that is not in it, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}
