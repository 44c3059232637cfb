import { parseArgs } from 'node:util';
import { ablationSections } from './ablation-table.js';
import { backendSections } from './backends-table.js';
import { measureBandwidth } from './bandwidth.js';
import { commandLine, fromHere, misused, publish, runCommand } from './command.js';
import { compileSections } from './compile-table.js';
import { levelSections } from './levels-table.js';
import { describeMachine } from './machine.js';
import { COMPILE_CASES, LEVEL_CASES, TABLE_CASES, type TableCase } from './table-cases.js';

const KINDS = {
  ablation: {
    title: 'Ablation: what each stage is worth',
    intro:
      'Every column adds a stage to those before it. `group` alone computes every output on its own, groups outputs of equal structure, and gives each ' +
      'group one kernel; `blocks` finds dense blocks that one kernel should compute; `local` evaluates what repeats within a kernel once; `global` ' +
      'stores what several outputs share; `simplify` rewrites expressions; `memory` replaces index columns by affine forms and differences, and stores them in 8 or 16 bits; ' +
      '`vectorise` marks inner loops; `threads` runs outer loops in parallel.',
    cases: TABLE_CASES,
    sections: ablationSections,
  },
  compile: {
    title: 'What compiling costs',
    intro: 'From the plain program to loaded kernels, one thread.',
    cases: COMPILE_CASES,
    sections: compileSections,
  },
  backends: {
    title: 'Backends and threads',
    intro:
      'The same kernels as C++ and as WebAssembly, on one thread and on all, timed in turns in one process. Each result is first compared with plain TypeScript.',
    cases: TABLE_CASES,
    sections: backendSections,
  },
  levels: {
    title: 'What levels of arithmetic cost',
    intro:
      'Each program compiled at each level of arithmetic (docs/numbers.md) and run on one thread, timed in turns in one process. Each result is first compared with plain TypeScript.',
    cases: LEVEL_CASES,
    sections: levelSections,
  },
} as const;

const USAGE = `usage: npm run bench:ablation (or bench:compile, bench:backends, bench:levels) -- [CASE…] [--dtype f32|f64] [--n SIZE] [--seconds 120] [--backend NAME] [--out FILE]
CASE: ${COMPILE_CASES.join(', ')}; the last by bench:compile only; by bench:levels ${LEVEL_CASES.join(', ')}`;

/** The commands `npm run bench:ablation`, `npm run bench:compile`, `npm run bench:backends` and `npm run bench:levels`. */
const main = async (argv: readonly string[]): Promise<number> => {
  const [kind, ...rest] = argv;
  if (!isKind(kind)) return misused(USAGE);
  const { values, positionals } = parseArgs({ args: rest, options: OPTIONS, allowPositionals: true });
  const cases = (KINDS[kind].cases as readonly TableCase[]).filter((c) => positionals.includes(c));
  const dtype = values.dtype ?? 'f64';
  const seconds = Number(values.seconds ?? 120);
  const n = values.n === undefined ? undefined : Number(values.n);
  if (
    cases.length < positionals.length ||
    (dtype !== 'f64' && dtype !== 'f32') ||
    !(seconds > 0) ||
    (n !== undefined && !(n > 0)) ||
    (kind === 'backends' && values.backend !== undefined)
  )
    return misused(USAGE);

  const { title, intro, sections } = KINDS[kind];
  const page = {
    title,
    command: commandLine(`bench:${kind}`, rest),
    machine: describeMachine(),
    bandwidth: measureBandwidth(),
    intro,
    sections: await sections({
      ...(cases.length > 0 ? { cases } : {}),
      ...(n === undefined ? {} : { n }),
      ...(values.backend === undefined ? {} : { backend: values.backend }),
      dtype,
      seconds,
      say: (line) => process.stderr.write(`${line}\n`),
    }),
  };
  publish(fromHere(values.out ?? `docs/benchmarks/${kind}.md`), page);
  return 0;
};

const isKind = (word: string | undefined): word is keyof typeof KINDS =>
  word !== undefined && Object.hasOwn(KINDS, word);

const OPTIONS = {
  dtype: { type: 'string' },
  n: { type: 'string' },
  seconds: { type: 'string' },
  backend: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
