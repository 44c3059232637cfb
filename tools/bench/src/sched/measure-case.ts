import { prepareCase, type QueuedCase } from '@filigree/e2e';
import { GRAPH_PASSES, type GraphPass } from 'filigree';

/** How cases are measured. */
export interface SchedOptions {
  readonly n: number | undefined;
  readonly steps: number | undefined;
  readonly rounds: number;
  readonly backend: string | undefined;
}

export type Metrics = Readonly<Record<string, number>>;

/** A case with launches that run at once, with the queue, and with the queue but for one pass, where that was asked for. */
export interface MeasuredCase {
  readonly name: string;
  readonly off: Metrics;
  readonly on: Metrics;
  /** Planning in rounds after the first, in parts of what these took with the queue; at the case's size and at a quarter of it. */
  readonly planning: { readonly here: number; readonly small: number };
  readonly without?: Readonly<Record<GraphPass, Metrics>>;
}

/**
 * Measures a case: all programs are there at once and take their steps in turns; medians of the rounds, of which there are more where they are short. Throws where one of them is not
 * what the plain program computes.
 */
export const measureCase = async (one: QueuedCase, options: SchedOptions, ablate: boolean): Promise<MeasuredCase> => {
  const n = options.n ?? one.n;
  const prepare = (queue: boolean, without: readonly GraphPass[] = [], size = n) =>
    prepareCase(one, {
      backend: options.backend,
      dtype: 'f64',
      threads: 1,
      layout: 'pointer',
      n: size,
      ablate: [],
      queue,
      without,
    });
  const pair = [await prepare(false), await prepare(true)];
  const [off, on] = inTurns(one, pair, options);
  const [small] = inTurns(one, [await prepare(true, [], Math.ceil(n / 4))], options);
  const measured = { name: one.name, off, on, planning: { here: on.planning, small: small.planning } };
  if (!ablate) return measured;
  const without = {} as Record<GraphPass, Metrics>;
  for (const pass of GRAPH_PASSES) [without[pass]] = inTurns(one, [await prepare(true, [pass])], options);
  return { ...measured, without };
};

const inTurns = (
  { name, steps, rounding }: QueuedCase,
  prepared: readonly Awaited<ReturnType<typeof prepareCase>>[],
  options: SchedOptions,
): readonly Metrics[] => {
  try {
    const rounds = prepared.map((): Metrics[] => []);
    const round = (): void => prepared.forEach((p, n) => rounds[n].push(p.measure(options.steps ?? steps)));
    for (let k = 0; k < options.rounds; k++) round();
    for (const p of prepared) {
      const off = p.maxRelError();
      if (!(off <= rounding * 2 ** -52)) throw new Error(`${name} is off by ${off}`);
    }
    /* A few rounds of milliseconds would tell what else the machine did, and how far the engine had warmed up. Of what falls for longer nobody knows the last digits. */
    const spent = (): number => rounds.flat().reduce((sum, m) => sum + m.wallMs, 0);
    while (spent() < LEAST_MS && rounds[0].length < MOST_ROUNDS) round();
    return rounds.map((all) => ({
      ...all[0],
      wallMs: median(all.map((m) => m.wallMs)),
      planning: (all.at(-1)!.planMs - all[0].planMs) / all.slice(1).reduce((sum, m) => sum + m.wallMs, 0),
    }));
  } finally {
    for (const p of prepared) p.dispose();
  }
};

/** What all rounds of a case take at least, unless they are as many as this. */
const LEAST_MS = 2000;

const MOST_ROUNDS = 60;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];
