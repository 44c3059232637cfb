/** Does something so many times; gives the milliseconds that took. Native code does it once before, unless nothing is to be in caches. */
export type Timer = (times: number, cold?: boolean) => number;

/** Something to time, and the time of it spent so far. */
interface Contender {
  readonly name: string;
  readonly timed: Timer;
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

/* Whoever asks whether there are times, and not what they are, as tests do, has fewer rounds. */
const atMost = (rounds: number): number => Math.min(rounds, Number(process.env['FILIGREE_BENCH_ROUNDS'] ?? rounds));

/** For a first impression, and for `--bench`. */
export const QUICK: MeasureOptions = { rounds: 5, sampleMs: 1, budgetMs: 500 };
export const THOROUGH: MeasureOptions = { rounds: atMost(15), sampleMs: 20, budgetMs: 6000 };

/** For calls that find nothing in caches. */
export const COLD = { rounds: atMost(21), budgetMs: 2500 };

/**
 * Median milliseconds a run of each function, side by side: one sample of each a round, in rotating order, so that drifts of
 * the machine touch all alike. Each runs once before, to warm up. Between rounds the event loop has its turn.
 */
export const medians = (
  runs: Readonly<Record<string, () => void>>,
  options: MeasureOptions,
): Promise<Record<string, number>> =>
  mediansOf(Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, timerOf(run)])), options);

/** The same for what times itself, as native code does to which a call is long. */
export const mediansOf = async (
  timers: Readonly<Record<string, Timer>>,
  options: MeasureOptions,
): Promise<Record<string, number>> => {
  const contenders = Object.entries(timers).map(([name, timed]) => warmUp(name, timed, options));
  for (let round = 0; round < options.rounds; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < contenders.length; i++) {
      const c = contenders[(i + round) % contenders.length];
      if (c.samples.length > 0 && c.spent > options.budgetMs) continue;
      const ms = c.timed(c.repetitions);
      c.samples.push(ms / c.repetitions);
      c.spent += ms;
    }
  }
  return Object.fromEntries(contenders.map((c) => [c.name, median(c.samples)]));
};

/**
 * Milliseconds of one call of each with nothing of what it reads in caches: before each, more memory is written than they hold. That
 * takes longer than most calls, so rounds end when it has taken `budgetMs`; there are three at least.
 */
export const coldMediansOf = async (
  timers: Readonly<Record<string, Timer>>,
  { rounds, budgetMs }: Pick<MeasureOptions, 'rounds' | 'budgetMs'>,
): Promise<Record<string, number>> => {
  const others = new Float64Array(OTHERS);
  const all = Object.entries(timers).map(([name, timed]) => ({ name, timed, samples: [] as number[] }));
  const start = performance.now();
  for (let round = 0; round < rounds && (round < 3 || performance.now() - start < budgetMs); round++) {
    await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < all.length; i++) {
      const { timed, samples } = all[(i + round) % all.length];
      for (let k = 0; k < OTHERS; k += LINE) others[k] += 1;
      samples.push(timed(1, true));
    }
  }
  return Object.fromEntries(all.map(({ name, samples }) => [name, median(samples)]));
};

/** Numbers of 128 MB, and of a cache line. */
const OTHERS = 2 ** 24;
const LINE = 8;

/** A timer of a function. */
export const timerOf =
  (run: () => void): Timer =>
  (times) => {
    const start = performance.now();
    for (let i = 0; i < times; i++) run();
    return performance.now() - start;
  };

/** The middle value. */
const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  return (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2;
};

const warmUp = (name: string, timed: Timer, { sampleMs, budgetMs }: MeasureOptions): Contender => {
  const first = timed(1);
  const trials = first < sampleMs ? 3 : 1;
  const once = Math.max(timed(trials) / trials, 1e-4);
  const repetitions = Math.max(1, Math.min(1e6, Math.ceil(sampleMs / once)));
  return { name, timed, repetitions, samples: [], spent: Math.min(first, budgetMs / 2) };
};
