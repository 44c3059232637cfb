/** Something to time, and the time of it spent so far. */
interface Contender {
  readonly name: string;
  readonly run: () => void;
  readonly repetitions: number;
  readonly samples: number[];
  spent: number;
}

export interface MeasureOptions {
  /** Samples of each, at most. */
  readonly rounds: number;
  /** Milliseconds that a sample should last; short runs are repeated to fill it. */
  readonly sampleMs: number;
  /** Milliseconds for each; every one gets one sample, however long it takes. */
  readonly budgetMs: number;
}

/** For a first impression, and for `--bench`. */
export const QUICK: MeasureOptions = { rounds: 5, sampleMs: 1, budgetMs: 500 };
export const THOROUGH: MeasureOptions = { rounds: 15, sampleMs: 20, budgetMs: 6000 };

/**
 * Median milliseconds a run of each function, side by side: one sample of each a round, in rotating order, so that drifts of
 * the machine touch all alike. Each runs once before, to warm up. Between rounds the event loop has its turn.
 */
export const medians = async (
  runs: Readonly<Record<string, () => void>>,
  options: MeasureOptions,
): Promise<Record<string, number>> => {
  const contenders = Object.entries(runs).map(([name, run]) => warmUp(name, run, options));
  for (let round = 0; round < options.rounds; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < contenders.length; i++) {
      const c = contenders[(i + round) % contenders.length];
      if (c.samples.length > 0 && c.spent > options.budgetMs) continue;
      const ms = timed(c.run, c.repetitions);
      c.samples.push(ms / c.repetitions);
      c.spent += ms;
    }
  }
  return Object.fromEntries(contenders.map((c) => [c.name, median(c.samples)]));
};

/** The middle value. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  return (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2;
};

const warmUp = (name: string, run: () => void, { sampleMs, budgetMs }: MeasureOptions): Contender => {
  const first = timed(run, 1);
  const repetitions = Math.max(
    1,
    Math.min(
      1e6,
      Math.ceil(sampleMs / Math.max(timed(run, first < sampleMs ? 3 : 1) / (first < sampleMs ? 3 : 1), 1e-4)),
    ),
  );
  return { name, run, repetitions, samples: [], spent: Math.min(first, budgetMs / 2) };
};

const timed = (run: () => void, repetitions: number): number => {
  const start = performance.now();
  for (let i = 0; i < repetitions; i++) run();
  return performance.now() - start;
};
