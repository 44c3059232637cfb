import { quantile, type Timing } from '../measure.js';
import { cases, prepare, type PageContender } from './contenders.js';

/** What the page tells of a case. */
export interface PageTimings {
  readonly name: string;
  readonly timings: readonly Timing[];
}

/* What is measured runs here, in a page; `browser-main` opens it and asks. */
(globalThis as unknown as { bench: (rounds: number) => Promise<readonly PageTimings[]> }).bench = async (rounds) => {
  await prepare();
  const done: PageTimings[] = [];
  for (const { name, contenders } of cases()) done.push({ name, timings: await timed(await contenders(), rounds) });
  return done;
};

/** As `measure`, of contenders that are waited for: in turns, each checked against the last before anything is timed. */
const timed = async (contenders: readonly PageContender[], rounds: number): Promise<readonly Timing[]> => {
  for (const c of contenders) await c.run();
  const expected = await contenders.at(-1)!.result();
  const errors: number[] = [];
  for (const c of contenders) errors.push(await errorOf(c, expected));
  const repetitions: number[] = [];
  for (const c of contenders) repetitions.push(Math.ceil(LEAST_MS / Math.max(await sample(c, WARM), 1e-3)));
  const samples = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (let k = 0; k < contenders.length; k++) {
      const c = (k + round) % contenders.length;
      samples[c].push(await sample(contenders[c], repetitions[c]));
    }
  return contenders.map(({ name }, c) => ({
    name,
    median: quantile(samples[c], 0.5),
    quartiles: [quantile(samples[c], 0.25), quantile(samples[c], 0.75)],
    least: Math.min(...samples[c]),
    samples: samples[c],
    repetitions: repetitions[c],
    maxRelError: errors[c],
  }));
};

/** Least time of a sample, and runs before the first: engines compile what runs often anew. */
const LEAST_MS = 20;
const WARM = 20;

const sample = async ({ run }: PageContender, repetitions: number): Promise<number> => {
  const start = performance.now();
  for (let k = 0; k < repetitions; k++) await run();
  return (performance.now() - start) / repetitions;
};

const errorOf = async ({ name, result }: PageContender, expected: ArrayLike<number>): Promise<number> => {
  const got = await result();
  if (got.length !== expected.length) throw new Error(`${name} gives ${got.length} numbers, not ${expected.length}`);
  let [error, largest] = [0, 0];
  for (let k = 0; k < got.length; k++) {
    error = Math.max(error, Math.abs(got[k] - expected[k]));
    largest = Math.max(largest, Math.abs(expected[k]));
  }
  if (!(error <= 1e-4 * largest)) throw new Error(`${name} is off by ${error / largest}`);
  return error / largest;
};
