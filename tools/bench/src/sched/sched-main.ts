import { parseArgs } from 'node:util';
import { LARGE_QUEUED_CASES, QUEUED_CASES, type QueuedCase } from '@filigree/e2e';
import { GRAPH_PASSES } from 'filigree';
import { APPLICATIONS } from '../fields/applications.js';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { keptResults, withoutResume } from '../kept-results.js';
import { ms } from '../table.js';
import { measureCase, type MeasuredCase, type Metrics, type SchedOptions } from './measure-case.js';
import { runProcess } from '../run-child.js';
import type { PlanningCosts } from './measure-planning.js';
import { measureStart, type MeasuredStart } from './measure-start.js';
import type { PlanningJob } from './planning-child.js';
import { ABLATIONS_IN_THESIS, CASES_IN_THESIS, SMALL_IN_THESIS } from './thesis.js';

const ALL = [...QUEUED_CASES, ...LARGE_QUEUED_CASES];
const NAMES = ALL.map((c) => c.name);
/** Applications of sparse fields, of which is measured how they begin. */
const STARTS = APPLICATIONS.filter((name) => name !== 'path-tracer');

const USAGE = `usage: npm run bench:sched -- [CASE…] [--n ELEMENTS] [--steps N] [--rounds 5] [--backend NAME] [--table 4.1] [--python python3] [--resume FILE.jsonl] [--out FILE.md]
CASE: ${[...NAMES, ...STARTS].join(', ')}
--table: measures what one table shows, \`starts\` how applications begin; the page has all tables of which there are results
--python: an interpreter that has Taichi, which then is measured, too
--resume: cases whose results stand in this file are not measured again; new ones are added to it`;

const INTRO =
  'The microbenchmarks and the larger cases of the thesis (chapter 4), each with launches that run at once and with the queue, step by step in turns in ' +
  'one process; medians of all rounds, after all code is there; one thread, f64. Tasks are loops, serial stretches and lists. The reference is what the ' +
  'thesis’ system launches for the same program without looking across kernels: a loop and a serial stretch are one each, and a loop over sparse elements ' +
  'has a list and a clear more for each level. What is computed is compared with a plain program before a time is written down.';

/** The command `npm run bench:sched`: Tables 4.1 to 4.6 of the thesis, ours beside it. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const [n, steps, rounds = 5] = [values.n, values.steps, values.rounds].map((v) =>
    v === undefined ? undefined : Number(v),
  );
  const wrong = [n, steps, rounds].some((v) => v !== undefined && !(Number.isInteger(v) && v > 0));
  if (wrong || positionals.some((p) => ![...NAMES, ...STARTS].includes(p))) return misused(USAGE);
  const { table } = values;
  if (table !== undefined && !TABLES.includes(table)) return misused(USAGE);
  const options: SchedOptions = { n, steps, rounds, backend: values.backend };
  const isAsked = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
  const asked = (list: readonly QueuedCase[]): readonly QueuedCase[] => list.filter((c) => isAsked(c.name));

  const kept = keptResults<MeasuredCase>(values.resume, ({ name }) => name);
  for (const one of asked(table === undefined ? ALL : casesOf(table))) {
    const ablate = one.name in ABLATIONS_IN_THESIS && table !== '4.1';
    const known = kept.find(one.name);
    if (known && (known.without || !ablate)) continue;
    process.stderr.write(`${one.name}\n`);
    kept.add(await measureCase(one, options, ablate));
  }
  const begun = keptResults<MeasuredStart>(values.resume, ({ name }) => name);
  const starts = STARTS.filter(isAsked);
  if (table === undefined || table === BEGINNING)
    for (const name of starts) {
      if (begun.find(name)) continue;
      process.stderr.write(`${name}\n`);
      begun.add(await measureStart(name, { backend: values.backend, python: values.python ?? 'python3' }));
    }
  const of = (list: readonly QueuedCase[]): readonly MeasuredCase[] =>
    asked(list).flatMap(({ name }) => kept.find(name) ?? []);
  const [small, large] = [of(QUEUED_CASES), of(LARGE_QUEUED_CASES)];
  publish(fromHere(values.out ?? 'docs/benchmarks/sched.md'), {
    title: 'Launches that wait',
    command: commandLine('bench:sched', wholeOf(withoutResume(argv))),
    machine: describeMachine(),
    intro: INTRO,
    sections: [
      ...(large.length > 0 ? [largeSection(large)] : []),
      ...(small.length > 0 ? [smallSection(small)] : []),
      ...large.flatMap((one) => (one.without ? [ablationSection(one, one.without)] : [])),
      costSection(await planningOf(values.backend), [...small, ...large]),
      ...startSection(starts.flatMap((name) => begun.find(name) ?? [])),
    ],
  });
  return 0;
};

/**
 * What waiting costs, in a process of its own and by the packages as they are built, as whoever installs them runs them: here the engine has seen the launches of
 * fifteen programs, and compiled the code that enters them for all of these.
 */
const planningOf = async (backend: string | undefined): Promise<PlanningCosts> => {
  const job: PlanningJob = backend === undefined ? {} : { backend };
  const outcome = await runProcess<PlanningCosts>('sched/planning-child', job, SECONDS, undefined, 'built');
  if ('failed' in outcome) throw new Error(`planning: ${outcome.failed}`);
  return outcome.result;
};

const SECONDS = 120;

/** The arguments of the command for all tables. */
const wholeOf = (argv: readonly string[]): readonly string[] =>
  argv.filter((a, k) => !/^--(table|python)/.test(a) && !['--table', '--python'].includes(argv[k - 1]));

/** The cases that a table shows. */
const casesOf = (table: string): readonly QueuedCase[] =>
  table === BEGINNING
    ? []
    : table === '4.1'
      ? LARGE_QUEUED_CASES
      : table === '4.2'
        ? QUEUED_CASES
        : LARGE_QUEUED_CASES.filter(({ name }) => ABLATIONS_IN_THESIS[name]?.table === table);

const BEGINNING = 'starts';

const TABLES = [BEGINNING, '4.1', '4.2', ...Object.values(ABLATIONS_IN_THESIS).map(({ table }) => table)];

const largeSection = (cases: readonly MeasuredCase[]) => ({
  title: 'Table 4.1: the larger cases',
  notes: [
    `Geometric mean of off ÷ on: ${meanOf(cases, speedup)}; in the thesis, over its five cases on the processor, ${mean(
      Object.values(CASES_IN_THESIS).map(({ seconds: [ref, ours] }) => ref / ours),
    )}.`,
  ],
  table: {
    head: [...HEAD, 'thesis: tasks ÷', 'thesis: off ÷ on'],
    rows: cases.map((one) => {
      const { seconds, tasks } = CASES_IN_THESIS[one.name];
      return [...rowOf(one), ratio(tasks[0], tasks[1]), ratio(seconds[0], seconds[1])];
    }),
  },
});

const smallSection = (cases: readonly MeasuredCase[]) => ({
  title: 'Table 4.2: the microbenchmarks',
  notes: [
    `Geometric means: ${meanOf(cases, speedup)} times as fast as without the queue (thesis: ${SMALL_IN_THESIS.wallClock}), ${meanOf(
      cases,
      ({ on }) => on.referenceTasks / on.tasksLaunched,
    )} times fewer tasks than the reference (thesis: ${SMALL_IN_THESIS.tasks}).`,
  ],
  table: { head: HEAD, rows: cases.map(rowOf) },
});

const ablationSection = ({ name, on, off }: MeasuredCase, without: NonNullable<MeasuredCase['without']>) => {
  const { table, rows } = ABLATIONS_IN_THESIS[name];
  const line = (title: string, key: string, tasks: string, metrics: Metrics): string[] => [
    title,
    tasks,
    ms(metrics.wallMs),
    rows[key][0],
    String(rows[key][1]),
  ];
  const launched = (m: Metrics): string => `${m.listsLaunched} / ${m.tasksLaunched}`;
  return {
    title: `Table ${table}: ${name} without each pass`,
    notes: ['Tasks as lists / all. The seconds of the thesis are of a graphics card.'],
    table: {
      head: ['passes', 'tasks', 'ms', 'thesis: tasks', 'thesis: s'],
      rows: [
        line('launches at once, reference’s tasks', 'reference', String(off.referenceTasks), off),
        ...GRAPH_PASSES.map((pass) => line(`no ${pass}`, pass, launched(without[pass]), without[pass])),
        line('all on', 'none', launched(on), on),
      ],
    },
  };
};

const costSection = (costs: PlanningCosts, cases: readonly MeasuredCase[]) => ({
  title: 'What waiting costs',
  notes: [
    `A launch is entered in ${costs.entered.toFixed(0)} ns; entered, found and run with its window it takes ${costs.replayed.toFixed(0)} ns, where one that runs at once takes ${costs.atOnce.toFixed(0)} ns: of loops over no elements, the fastest of many runs, in a process that runs nothing else.`,
    `A window of ${costs.tasks} tasks that comes for the first time is planned in ${((costs.tasks * costs.taskUs) / 1e3).toFixed(0)} ms, ${costs.taskUs.toFixed(1)} µs a task.`,
    'Entering: launches of a step by what one takes to enter, in parts of the wall clock of that step. Planning: in rounds after the first, at the size of the tables and at a quarter of it.',
  ],
  table: {
    head: ['case', 'launches', 'entering', 'planning', 'planning, small'],
    rows: cases.map(({ name, on, planning }) => [
      name,
      String(on.launches),
      percent((on.launches * costs.entered) / 1e6 / on.wallMs),
      percent(planning.here),
      percent(planning.small),
    ]),
  },
});

const startSection = (starts: readonly MeasuredStart[]) => {
  if (starts.length === 0) return [];
  const versions = new Set(starts.flatMap(({ peer }) => (typeof peer === 'string' ? [] : [`Taichi ${peer.version}`])));
  return [
    {
      title: 'How applications begin',
      notes: [
        'Without the queue, from the kernels to the program that runs (`program()`), packages as they are built, f32, one thread. Cold: nothing is in the cache; as Node runs by itself, and with the flag of the engine that `filigree` sets when it starts. Warm: another process ran before. Medians of processes of their own; processor: what all threads of the process did meanwhile.',
        `${[...versions].join(', ') || 'Taichi'}: from \`ti.init\` to the end of a first step, less what a second step takes, \`offline_cache=False\`; the same kernels and sizes in its words.`,
      ],
      table: {
        head: [
          'application',
          'cold ms',
          'as `filigree`, ms',
          'Taichi, cold ms',
          'Taichi ÷ ours',
          'Taichi ÷ `filigree`',
          'warm ms',
          'processor, warm ms',
        ],
        rows: starts.map(({ name, cold, coldAsCommand, warm, peer }) => [
          name,
          ms(cold),
          ms(coldAsCommand),
          ...(typeof peer === 'string'
            ? [peer, '', '']
            : [ms(peer.ms), ratio(peer.ms, cold), ratio(peer.ms, coldAsCommand)]),
          ms(warm.ms),
          ms(warm.cpuMs),
        ]),
      },
    },
  ];
};

/* Where there was one round there is nothing of later ones: NaN, which comes back from a file as null. */
const percent = (part: number): string => (Number.isFinite(part) ? `${(100 * part).toFixed(2)} %` : '');

const HEAD = [
  'case',
  'reference tasks',
  'off',
  'on',
  'loops + serial + lists',
  'reference ÷ on',
  'off ms',
  'on ms',
  'off ÷ on',
  'compiled',
  'plans',
  'plan ms',
];

const rowOf = (one: MeasuredCase): string[] => {
  const { name, off, on } = one;
  return [
    name,
    String(on.referenceTasks),
    String(off.tasksLaunched),
    String(on.tasksLaunched),
    `${on.loopsLaunched} + ${on.serialLaunched} + ${on.listsLaunched}`,
    ratio(on.referenceTasks, on.tasksLaunched),
    ms(off.wallMs),
    ms(on.wallMs),
    speedup(one).toFixed(2),
    String(on.tasksCompiled),
    String(on.plans),
    ms(on.planMs),
  ];
};

const speedup = ({ off, on }: MeasuredCase): number => off.wallMs / on.wallMs;

const ratio = (a: number, b: number): string => (a / b).toFixed(2);

const mean = (values: readonly number[]): string =>
  Math.exp(values.reduce((s, v) => s + Math.log(v), 0) / values.length).toFixed(2);

const meanOf = (cases: readonly MeasuredCase[], f: (one: MeasuredCase) => number): string => mean(cases.map(f));

const OPTIONS = {
  n: { type: 'string' },
  steps: { type: 'string' },
  rounds: { type: 'string' },
  backend: { type: 'string' },
  python: { type: 'string' },
  table: { type: 'string' },
  resume: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
