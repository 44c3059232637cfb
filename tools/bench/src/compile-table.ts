import { waysOf } from './filigree.js';
import { runChild } from './run-child.js';
import type { TableOptions } from './ablation-table.js';
import { PUBLISHED_COMPILE } from './published-compile.js';
import { COMPILE_CASES, tableCase } from './table-cases.js';
import { ms, type BenchmarkPage } from './table.js';

/** What compiling costs (paper Table 3): every case in a process of its own, so that its peak memory is its own. */
export const compileSections = async (options: TableOptions): Promise<BenchmarkPage['sections']> => {
  const rows: string[][] = [];
  const beside: string[][] = [];
  for (const [name, way] of (options.cases ?? COMPILE_CASES).flatMap((n) => waysOf(n).map((w) => [n, w] as const))) {
    const { dtype, n, backend, seconds } = options;
    const outcome = await runChild(
      {
        name,
        ...(way === undefined ? {} : { way }),
        dtype,
        ablate: [],
        threads: 1,
        ...(n === undefined ? {} : { n }),
        ...(backend === undefined ? {} : { backend }),
      },
      seconds,
    );
    const told = (title: string): string => [title, ...(way === undefined ? [] : [way])].join(', ');
    if ('failed' in outcome) rows.push([told(tableCase(name, options.dtype, options.n).title), outcome.failed]);
    else {
      const { cost, runMs, startMB, passed } = outcome.result;
      const title = told(outcome.result.title);
      /* Theirs are of programs by hand, without tags. */
      const theirs = way === waysOf(name)[0] ? PUBLISHED_COMPILE[name] : undefined;
      const stages = [cost.ms.trace, cost.ms.analyse, cost.ms.generate, cost.ms.compile];
      rows.push([
        title,
        ...stages.map((t) => t.toFixed(0)),
        (stages.reduce((a, b) => a + b, 0) + cost.ms.load).toFixed(0),
        cost.peakRssMB.toFixed(0),
        startMB.toFixed(0),
        cost.nodes.toLocaleString('en'),
        String(cost.kernels),
        (cost.indexBytes / 1e6).toFixed(2),
        `${ms(runMs)}${passed ? '' : ' (wrong)'}`,
      ]);
      if (theirs !== undefined) {
        const { execute, analyse, generate, gcc } = theirs.seconds;
        const all = execute + analyse + generate + gcc;
        beside.push([
          title,
          ...[...stages, stages.reduce((a, b) => a + b, 0)].map((t) => (t / 1e3).toFixed(1)),
          (cost.peakRssMB / 1e3).toFixed(2),
          theirs.size.toLocaleString('en'),
          ...[execute, analyse, generate, gcc, all, theirs.peakGB].map((x) => x.toFixed(1)),
        ]);
      }
    }
    options.say(rows[rows.length - 1].join(' | '));
  }
  return [
    {
      table: {
        head: [
          'case',
          'trace ms',
          'analyse ms',
          'generate ms',
          'compile ms',
          'total ms',
          'peak MB',
          'of it at start MB',
          'nodes',
          'kernels',
          'index MB',
          'run ms',
        ],
        rows,
      },
      notes: [
        'Peak memory is the largest resident set of the Node process up to the moment when the kernels are loaded, Node, packages and input included; the C++ compiler is a process of its own and not counted.',
        'The artifact cache is off.',
      ],
    },
    ...(beside.length === 0 ? [] : [besidePublished(beside)]),
  ];
};

/** Seconds by stage here, and as the authors of the method report them of their compiler. */
const besidePublished = (rows: string[][]): BenchmarkPage['sections'][number] => {
  const stages = ['trace', 'analyse', 'generate', 'C++', 'all s', 'peak GB'];
  return {
    title: 'Beside the published figures',
    table: { head: ['case', ...stages, 'their size', ...stages.map((stage) => `their ${stage}`)], rows },
    notes: [
      'Seconds by stage. Theirs are those of Herholz et al. 2022 (Table 3), who name no machine for them and say that they do not depend on the target; their other tables are of an Intel Core i9 at 2.3 GHz and an AMD EPYC. Of each program the size next to the one here: rows or vertices.',
      'The as-rigid-as-possible step is the right-hand side of their ARAP; the cloth Hessian is the one derived by hand. By differentiation they need 296 s and 25 GB for it.',
    ],
  };
};
