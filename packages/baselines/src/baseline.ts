import type { Toolchain } from '@filigree/backend/native';
import type { NativeSource } from './native-library.js';

/** A program in C++ that something is measured against, as a value: `prepare` makes it for a problem. */
export interface Baseline<Problem, R extends Running> {
  readonly name: string;
  /** What messages call it. */
  readonly called: string;
  /** What is to be compiled, or why there is nothing, such as headers that are not found. */
  readonly source: (problem: Problem, toolchain: Toolchain) => Promise<NativeSource | string>;
  /** Loads the library that came of it and gives it the problem's data, or says why that cannot be. */
  readonly open: (library: string, problem: Problem) => Promise<R | string>;
  /** What is wrong with its answer. Absent where the answer is for whoever measures to check. */
  readonly fault?: (running: R, problem: Problem) => string | undefined;
}

/** A library that is open, with a problem's data. */
export interface Running {
  readonly close: () => void;
}

/** Something that runs so many times at once: a call from JavaScript takes longer than a small problem. */
export interface Repeated extends Running {
  readonly run: (times: number) => void;
}
