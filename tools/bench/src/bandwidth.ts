import koffi from 'koffi';
import { quantile } from './measure.js';
import { buildLibrary } from './native/build.js';
import { findCompiler } from './native/toolchain.js';

/** Measured memory bandwidth in GB/s (10⁹ bytes), one thread. */
export interface Bandwidth {
  /** a = b: two streams. */
  readonly copy: number;
  /** a = b + s c: three streams. */
  readonly triad: number;
  /** Bytes that one pass of triad touches. */
  readonly bytes: number;
  /** What ran the loops. */
  readonly by: 'C++' | 'JavaScript';
}

/**
 * Measures copy and triad in the manner of STREAM over arrays of `bytes` in all (default 192 MB, beyond the caches of
 * most machines; pass the bytes a kernel moves to learn what its own working set may reach). Counted are bytes read and written by
 * the program, as for the kernels that are compared with it. Medians of `rounds` passes.
 */
export const measureBandwidth = (options: { readonly bytes?: number; readonly rounds?: number } = {}): Bandwidth => {
  const n = Math.max(1024, Math.floor((options.bytes ?? 192e6) / 24));
  const [a, b, c] = [new Float64Array(n), new Float64Array(n).fill(1), new Float64Array(n).fill(2)];
  const loops = nativeLoops() ?? scriptLoops;
  // Small arrays are passed over often enough that a clock tick does not matter.
  const passes = Math.max(1, Math.ceil(8e6 / n));
  const rate = (bytes: number, pass: () => void): number => {
    const seconds: number[] = [];
    for (let round = 0; round <= (options.rounds ?? 15); round++) {
      const start = performance.now();
      for (let i = 0; i < passes; i++) pass();
      // The first round touches the pages and is not counted.
      if (round > 0) seconds.push((performance.now() - start) / 1000 / passes);
    }
    return bytes / quantile(seconds, 0.5) / 1e9;
  };
  return {
    copy: rate(16 * n, () => loops.copy(a, b, n)),
    triad: rate(24 * n, () => loops.triad(a, b, c, 3, n)),
    bytes: 24 * n,
    by: loops === scriptLoops ? 'JavaScript' : 'C++',
  };
};

interface Loops {
  readonly copy: (a: Float64Array, b: Float64Array, n: number) => void;
  readonly triad: (a: Float64Array, b: Float64Array, c: Float64Array, s: number, n: number) => void;
}

const nativeLoops = (): Loops | undefined => {
  const compiler = findCompiler();
  if ('missing' in compiler) return undefined;
  const lib = koffi.load(buildLibrary({ file: 'bandwidth.cpp' }, compiler.found));
  const copy = lib.func('void bandwidth_copy(double *a, const double *b, int n)');
  const triad = lib.func('void bandwidth_triad(double *a, const double *b, const double *c, double s, int n)');
  return { copy: (a, b, n) => copy(a, b, n), triad: (a, b, c, s, n) => triad(a, b, c, s, n) };
};

const scriptLoops: Loops = {
  copy: (a, b) => a.set(b),
  triad: (a, b, c, s, n) => {
    for (let i = 0; i < n; i++) a[i] = b[i] + s * c[i];
  },
};
