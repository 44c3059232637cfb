import { parseArgs } from 'node:util';
import { QUEUED_CASES, runCase, type CaseOutcome, type QueuedCase } from '@filigree/e2e';
import { GRAPH_PASSES, type GraphPass } from 'filigree';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { ms } from '../table.js';

const NAMES = QUEUED_CASES.map((c) => c.name);

const USAGE = `usage: npm run bench:sched -- [CASE…] [--n ELEMENTS] [--steps N] [--rounds 5] [--backend NAME] [--out FILE.md]
CASE: ${NAMES.join(', ')}`;

const INTRO =
  'The microbenchmarks of the thesis (appendix to chapter 4), each with launches that run at once and with the queue, in turns; the medians of all rounds. ' +
  'Tasks are loops, serial stretches and lists; the reference is what the thesis’ system launches for the same program without looking across kernels: ' +
  'a list and a clear for each level of a sparse loop more. Times are of steps after all code is there; one thread, f64. For all ten cases the thesis has, as ' +
  'geometric means on the processor, 2.14 times as fast and 3.69 times fewer tasks; the one that differentiates is not among these.';

/** The command `npm run bench:sched`: Table 4.2 of the thesis, and for each case what every pass is worth. */
const main = async (argv: readonly string[]): Promise<number> => {
  let parsed;
  try {
    parsed = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch {
    return misused(USAGE);
  }
  const { values, positionals } = parsed;
  const [n, steps, rounds] = [values.n, values.steps, values.rounds].map((v) =>
    v === undefined ? undefined : Number(v),
  );
  const wrong = [n, steps, rounds].some((v) => v !== undefined && !(Number.isInteger(v) && v > 0));
  if (wrong || positionals.some((p) => !NAMES.includes(p))) return misused(USAGE);
  const cases = QUEUED_CASES.filter((c) => positionals.length === 0 || positionals.includes(c.name));

  const rows: string[][] = [];
  const ablated: string[][] = [];
  const logs = { tasks: 0, time: 0 };
  for (const one of cases) {
    process.stderr.write(`${one.name}\n`);
    const run = (queue: boolean, without: readonly GraphPass[] = []): Promise<CaseOutcome> =>
      runCase(one, {
        backend: values.backend,
        dtype: 'f64',
        threads: 1,
        layout: 'pointer',
        n: n ?? one.n,
        steps: steps ?? one.steps,
        ablate: [],
        queue,
        without,
      });
    const [offs, ons]: [CaseOutcome[], CaseOutcome[]] = [[], []];
    for (let k = 0; k < (rounds ?? 5); k++) {
      offs.push(await run(false));
      ons.push(await run(true));
    }
    refuseWrong(one, [...offs, ...ons]);
    const [off, on] = [offs, ons].map((all) => median(all.map((r) => r.metrics.wallMs)));
    const { tasksLaunched, referenceTasks, plans, planMs } = ons[0].metrics;
    logs.tasks += Math.log(referenceTasks / tasksLaunched);
    logs.time += Math.log(off / on);
    rows.push([
      one.name,
      String(referenceTasks),
      String(offs[0].metrics.tasksLaunched),
      String(tasksLaunched),
      (referenceTasks / tasksLaunched).toFixed(2),
      ms(off),
      ms(on),
      (off / on).toFixed(2),
      String(plans),
      ms(planMs),
    ]);
    const parts: CaseOutcome[] = [];
    for (const pass of GRAPH_PASSES) parts.push(await run(true, [pass]));
    refuseWrong(one, parts);
    ablated.push([one.name, ...[ons[0], ...parts].map((r) => `${r.metrics.tasksLaunched} (${ms(r.metrics.wallMs)})`)]);
  }
  const mean = (log: number): string => Math.exp(log / cases.length).toFixed(2);
  publish(fromHere(values.out ?? 'docs/benchmarks/sched.md'), {
    title: 'Launches that wait',
    command: commandLine('bench:sched', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections: [
      {
        title: 'The queue on and off',
        notes: [
          `Geometric means: ${mean(logs.tasks)} times fewer tasks than the reference, ${mean(logs.time)} times as fast as without the queue.`,
        ],
        table: {
          head: [
            'case',
            'reference',
            'tasks off',
            'tasks on',
            'reference ÷ on',
            'off ms',
            'on ms',
            'off ÷ on',
            'plans',
            'plan ms',
          ],
          rows,
        },
      },
      {
        title: 'Each pass off',
        notes: ['Tasks launched, and milliseconds of one run.'],
        table: { head: ['case', 'all on', ...GRAPH_PASSES.map((p) => `no ${p}`)], rows: ablated },
      },
    ],
  });
  return 0;
};

const OPTIONS = {
  n: { type: 'string' },
  steps: { type: 'string' },
  rounds: { type: 'string' },
  backend: { type: 'string' },
  out: { type: 'string' },
} as const;

/** A time of wrong numbers says nothing. */
const refuseWrong = ({ name, rounding }: QueuedCase, outcomes: readonly CaseOutcome[]): void => {
  const wrong = outcomes.find(({ maxRelError }) => !(maxRelError <= rounding * 2 ** -52));
  if (wrong) throw new Error(`${name} is off by ${wrong.maxRelError}`);
};

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1];

await runCommand(main);
