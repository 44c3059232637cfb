import type { ScalarType } from '@filigree/ir';

/** What a program asked of a driver, in order: enough to ask another driver for the same. */
export interface Recording {
  readonly modules: readonly RecordedModule[];
  readonly steps: readonly Step[];
}

/** Text of kernels, and what its compiler was told. */
export interface RecordedModule {
  readonly text: string;
  readonly flags: readonly string[];
}

/** So many bytes behind the start of the block that was allocated as the n-th. */
export interface At {
  readonly block: number;
  readonly offset: number;
}

/** Bytes of a program's buffer are of its type; of others it is not known. */
export type DataType = ScalarType | 'bytes';

/** One call of the driver. */
export type Step =
  | { readonly call: 'allocate'; readonly bytes: number }
  | { readonly call: 'free'; readonly block: number }
  | { readonly call: 'clear'; readonly at: At; readonly bytes: number }
  | { readonly call: 'write' | 'read'; readonly at: At; readonly type: DataType; readonly data: Uint8Array }
  | {
      readonly call: 'launch';
      readonly module: number;
      readonly kernel: string;
      /** As many as have something to do, or very many where that is not known: a device takes as many as keep it busy. */
      readonly blocks: number;
      readonly threads: number;
      readonly args: readonly Argument[];
    }
  | ({ readonly call: 'begin' } & Part)
  | { readonly call: 'end' };

/** Calls, from `begin` to `end`, that are made over and over to be measured, when all others were made. One may lie in another. */
export interface Part {
  readonly part: string;
  /** All calls, or launches and what is cleared between them, without what the host reads and writes besides. */
  readonly calls: 'all' | 'launches';
  /** What is done each time, of which a rate is told. */
  readonly amount: number;
  readonly unit: 'bytes' | 'results' | 'particles' | 'cells';
}

/** An address of a block, or the 8 bytes in which a number lies. */
export type Argument = At | { readonly bits: Uint8Array };
