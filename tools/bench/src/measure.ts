import { fail } from '@filigree/ir';

/** Something that can be timed, and that can say how wrong its result is. */
export interface Contender {
  readonly name: string;
  /** Does the work once. */
  run(): void;
  /** Largest relative error of the last run's result against the reference. */
  check(): number;
  /** Bytes one run must read and write, where that is known; compared with the measured bandwidth. */
  readonly bytesMoved?: number;
  /** A sentence for below the table. */
  readonly note?: string;
}

export interface MeasureOptions {
  /** Samples of each contender, at least 6: fewer carry no 95 % interval. Default 15. */
  readonly rounds?: number;
  /** Least time of one sample in milliseconds; short runs are repeated to fill it. Default 20. */
  readonly minMs?: number;
  /** Largest error accepted from `check`. Default 1e-9; f32 needs about 1e-4. */
  readonly tolerance?: number;
  /** Called after every round, to show progress. */
  readonly onRound?: (round: number, rounds: number) => void;
}

/** Times of one contender, in milliseconds a run. */
export interface Timing {
  readonly name: string;
  readonly median: number;
  /** First and third quartile. */
  readonly quartiles: readonly [number, number];
  readonly least: number;
  readonly samples: readonly number[];
  /** Runs in one sample. */
  readonly repetitions: number;
  readonly maxRelError: number;
}

/** How many times faster one contender is than another, with a 95 % confidence interval. */
export interface Ratio {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Times several functions side by side in this process: every round takes one sample of each, in an order that rotates, so
 * that slow drifts of the machine (heat, other load) touch all alike. Each contender first runs once and is checked: a wrong
 * result is an error (`bench/wrong-result`), never a time.
 */
export const measure = (contenders: readonly Contender[], options: MeasureOptions = {}): Timing[] => {
  const { minMs = 20, tolerance = 1e-9, onRound } = options;
  const rounds = Math.max(6, options.rounds ?? 15);
  const errors = contenders.map((c) => {
    c.run();
    const error = c.check();
    if (error <= tolerance) return error;
    return fail(
      'bench/wrong-result',
      `${c.name} is off by ${error.toExponential(2)}, more than ${tolerance.toExponential(0)}`,
      {
        remedy: 'compare its inputs with those of the reference',
      },
    );
  });
  const repetitions = contenders.map((c) => calibrate(c, minMs));
  const samples = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < contenders.length; i++) {
      const c = (i + round) % contenders.length;
      samples[c].push(sample(contenders[c], repetitions[c]));
    }
    onRound?.(round + 1, rounds);
  }
  return contenders.map((c, i) => ({
    name: c.name,
    median: quantile(samples[i], 0.5),
    quartiles: [quantile(samples[i], 0.25), quantile(samples[i], 0.75)],
    least: Math.min(...samples[i]),
    samples: samples[i],
    repetitions: repetitions[i],
    maxRelError: errors[i],
  }));
};

/**
 * How many times faster `contender` is than `baseline`: the median of the ratios of samples of the same round. The interval holds the
 * true median ratio with 95 % confidence whatever the distribution (order statistics of the sign test).
 */
export const speedup = (baseline: Timing, contender: Timing): Ratio => {
  const ratios = baseline.samples.map((b, round) => b / contender.samples[round]).sort((a, b) => a - b);
  const outside = signTestDepth(ratios.length, 0.05);
  return { ratio: quantile(ratios, 0.5), low: ratios[outside], high: ratios[ratios.length - 1 - outside] };
};

/** The geometric mean of positive numbers; zeros count as the least of them. */
export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, v) => sum + Math.log(Math.max(v, Number.MIN_VALUE)), 0) / values.length);

/** The value below which a share `q` of the values lies, between neighbours linearly. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low] + (at - low) * (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]);
};

/** Runs until the time of a run is known, which also warms caches and compilers up; the runs that fill a sample. */
const calibrate = (contender: Contender, minMs: number): number => {
  let repetitions = 1;
  for (;;) {
    const total = sample(contender, repetitions) * repetitions;
    if (total >= minMs) return repetitions;
    repetitions = Math.max(
      repetitions + 1,
      Math.ceil(repetitions * Math.min(16, (1.2 * minMs) / Math.max(total, 1e-3))),
    );
  }
};

const sample = (contender: Contender, repetitions: number): number => {
  const start = performance.now();
  for (let i = 0; i < repetitions; i++) contender.run();
  return (performance.now() - start) / repetitions;
};

/** How many of n sorted values at each end lie outside an interval for the median at level `alpha`. */
const signTestDepth = (n: number, alpha: number): number => {
  let cumulated = 0;
  let term = 2 ** -n;
  for (let k = 0; k < n / 2; k++) {
    cumulated += term;
    if (cumulated > alpha / 2) return Math.max(0, k - 1);
    term = (term * (n - k)) / (k + 1);
  }
  return 0;
};
