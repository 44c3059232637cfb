import type { ScalarType } from '@filigree/ir';

/** The driver of a GPU, as far as kernels need it. Calls throw `DiagnosticError` with the name of the call and what it said. */
export interface GpuDriver {
  /** What the device is called, and how many of its processors run blocks at once. */
  readonly device: GpuDevice;
  readonly allocate: (bytes: number) => number;
  readonly release: (at: number) => void;
  readonly clear: (at: number, bytes: number) => void;
  readonly read: (from: number, into: Uint8Array) => void;
  readonly write: (to: number, from: Uint8Array) => void;
  /** So many bytes from the start of what was allocated, where the host sees memory of the device. Missing where it does not. */
  readonly view?: (at: number, bytes: number) => ArrayBuffer;
  /** Loads compiled kernels from a file. */
  readonly open: (path: string) => GpuCode;
  /** Begins a launch; launches run one after the other. `frame` are addresses of the arguments. */
  readonly launch: (kernel: GpuKernel, blocks: number, threads: number, frame: Uint8Array) => void;
  /**
   * The launches that `begin` makes as one graph: they are noted, with their arguments as they are, and not run. Error: `NAME/graphs` where the
   * driver lacks a call for it. Missing where no version of the driver knows graphs.
   */
  readonly graph?: (begin: () => void) => GpuGraph;
  /**
   * Has the device take note of the time when it has done all that was begun before. Error: `NAME/times` where the driver lacks a call for it.
   * Missing where no version of the driver has clocks.
   */
  readonly moment?: () => GpuMoment;
  /** Waits until all that was begun is done. */
  readonly finish: () => void;
  readonly finishAsync: () => Promise<void>;
  /** Where the bytes of an array are in this process. */
  readonly addressOf: (bytes: Uint8Array) => bigint;
}

/** Launches that are begun by one call. */
export interface GpuGraph {
  readonly begin: () => void;
  readonly close: () => void;
}

/** A time by the clock of the device. */
export interface GpuMoment {
  /** Milliseconds since an earlier one. Waits until the device has come to this one. */
  readonly since: (earlier: GpuMoment) => number;
  readonly close: () => void;
}

export interface GpuDevice {
  readonly name: string;
  /** What compilers call it: `sm_90`, where the driver says so. */
  readonly architecture?: string;
  readonly processors: number;
}

/** A kernel that the driver has loaded. */
export type GpuKernel = bigint;

/** What a kernel takes: addresses of buffers, then numbers. */
export interface GpuParameters {
  readonly buffers: number;
  readonly scalars: readonly ScalarType[];
}

/** Loaded code. */
export interface GpuCode {
  readonly kernel: (name: string, takes: GpuParameters) => GpuKernel;
  readonly close: () => void;
}
