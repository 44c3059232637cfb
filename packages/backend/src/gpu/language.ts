import type { Diagnostics, ScalarType } from '@filigree/ir';
import type { CFamilyDialect } from '../c-family/dialect.js';
import type { SourceFile } from '../contract.js';

/** A language in which kernels of a GPU are written. */
export interface GpuLanguage {
  /** The name of the backend, which begins the codes of its diagnostics: `cuda`, `cuda/compile`. */
  readonly name: string;
  /** The file that holds all kernels, and what it is written in. */
  readonly file: string;
  readonly written: SourceFile['language'];
  /** How ops are written. */
  readonly dialect: CFamilyDialect;
  /** Lines before all else: how to compile the file. */
  readonly about: readonly string[];
  /** Lines before the functions. */
  readonly preamble: readonly string[];
  readonly types: readonly ScalarType[];
  /** Scalars that have atomics in the memory that all threads see. */
  readonly atomics: readonly ScalarType[];
  /** Whether doubles are pairs of singles in registers, and their bits in memory (`pairsOfSingles`); the language spells `pairDialect`. Default false. */
  readonly pairs?: boolean;
  /** Threads that go in step, at most: the text is the same for fewer. `blockSize` is a multiple of it. */
  readonly warp: number;
  /** Looks at a text before it is handed out, for what no compiler of another language would see. */
  readonly verify?: (text: string) => Diagnostics;
}

/** Threads of a block. */
export const blockSize = 256;
