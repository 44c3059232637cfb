import { parseArgs } from 'node:util';
import { QUANT_LOOPS, type QuantLoop } from '@filigree/e2e';
import { dense, i, layout } from '@filigree/sparse/fields';
import { program } from 'filigree';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup, type Timing } from '../measure.js';
import { ms } from '../table.js';
import { besideTaichi } from './beside-taichi.js';

const USAGE = `usage: npm run bench:quant -- [LOOP…] [--size ELEMENTS] [--threads 2] [--rounds 9] [--words 16777216] [--python python3] [--out FILE.md]
LOOP: ${QUANT_LOOPS.map((l) => l.name).join(', ')}`;

const INTRO =
  'Loops over elements of few bits, each kernel the same for all layouts. “all on” is the compiler as it is; “fusion only” without `own-words`, so that every store to part of a word is a ' +
  'loop on compare-and-exchange; “demotion only” without `fuse-stores`, so that each field is stored by itself; “all off” without both, as a library of formats would do it; “native types” has the same ' +
  'kernel on a layout of native types. Elements that are wrong after one run are counted before anything is timed; samples are taken in turns in one process. The columns of the thesis are those of its processor.';

/** The command `npm run bench:quant`: Table 5.1 of the thesis, ours beside it. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const [size, threads, rounds] = [values.size ?? 2 ** 22, values.threads ?? 2, values.rounds ?? 9].map(Number);
  const words = Number(values.words ?? 2 ** 24);
  const loops = QUANT_LOOPS.filter((l) => positionals.length === 0 || positionals.includes(l.name));
  if (!(size >= 1) || !(threads >= 1) || !(rounds >= 6) || !(words >= 1) || loops.length < positionals.length)
    return misused(USAGE);
  const measured = [];
  for (const loop of loops) {
    process.stderr.write(`${loop.name}\n`);
    measured.push({ loop, timings: await timed(loop, size, threads, rounds) });
  }
  publish(fromHere(values.out ?? 'docs/benchmarks/quant.md'), {
    title: 'Fields of few bits: stores',
    command: commandLine('bench:quant', argv),
    machine: describeMachine(),
    intro: `${INTRO} Here: ${size} elements, ${threads} thread${threads === 1 ? '' : 's'}.`,
    sections: [
      {
        title: 'Milliseconds a run',
        table: {
          head: ['loop', ...WAYS.map((w) => w.name)],
          rows: measured.map(({ loop, timings }) => timesOf(loop, timings)),
        },
      },
      {
        title: 'How many times the time',
        notes: ['In brackets the interval of 95 %.'],
        table: {
          head: [
            'loop',
            'all off ÷ all on',
            'thesis',
            'all on ÷ native types',
            'thesis',
            'bytes of few bits',
            'of native types',
          ],
          rows: measured.map(({ loop, timings }) => ratiosOf(loop, timings)),
        },
      },
      await besideTaichi(words, threads, rounds, values.python ?? 'python3'),
    ],
  });
  return 0;
};

const WAYS = [
  { name: 'all off', isOn: true, ablate: ['fuse-stores', 'own-words'] },
  { name: 'demotion only', isOn: true, ablate: ['fuse-stores'] },
  { name: 'fusion only', isOn: true, ablate: ['own-words'] },
  { name: 'all on', isOn: true, ablate: [] },
  { name: 'native types', isOn: false, ablate: [] },
] as const;

/** Milliseconds of the thesis on x64: all off, all on, no quantisation. */
const IN_THESIS: Readonly<Record<string, readonly [off: number, on: number, native?: number]>> = {
  'quant-store': [688.57, 338.451, 312.925],
  'quant-partial-store': [882.831, 309.125, 345.032],
  'quant-matmul': [272.056, 76.349],
};

interface Timed {
  readonly timings: readonly Timing[];
  /** Bytes an element of few bits, and of native types. */
  readonly bytes: readonly [few: number, native: number];
}

const timed = async ({ of }: QuantLoop, size: number, threads: number, rounds: number): Promise<Timed> => {
  const { fields, on, off, fill, loop, wrong } = of(size);
  const made = await Promise.all(
    WAYS.map(async ({ name, isOn, ablate }) => {
      const sim = await program({
        layout: layout(dense(i, size).place(...(isOn ? on : off))),
        kernels: { fill, loop, wrong },
        fields,
        backend: 'cpp',
        threads,
        ablate,
      });
      sim.run.fill();
      return { sim, contender: { name, run: () => void sim.run.loop(), check: () => Number(sim.run.wrong()) } };
    }),
  );
  const bytesOf = (n: number): number => made[n].sim.storage.nodes[1].containerBytes / size;
  try {
    const timings = measure(
      made.map((m) => m.contender),
      { rounds, tolerance: 0 },
    );
    return { timings, bytes: [bytesOf(0), bytesOf(WAYS.length - 1)] };
  } finally {
    for (const { sim } of made) sim.dispose();
  }
};

const timesOf = ({ name }: QuantLoop, { timings }: Timed): string[] => [name, ...timings.map((t) => ms(t.median))];

const ratiosOf = ({ name }: QuantLoop, { timings, bytes }: Timed): string[] => {
  const by = (way: (typeof WAYS)[number]['name']): Timing => timings.find((t) => t.name === way)!;
  const text = (of: Timing, than: Timing): string => {
    const { ratio, low, high } = speedup(of, than);
    return `${ratio.toFixed(2)} [${low.toFixed(2)} – ${high.toFixed(2)}]`;
  };
  const thesis = IN_THESIS[name];
  return [
    name,
    text(by('all off'), by('all on')),
    thesis ? (thesis[0] / thesis[1]).toFixed(2) : '',
    text(by('all on'), by('native types')),
    thesis?.[2] ? (thesis[1] / thesis[2]).toFixed(2) : '',
    ...bytes.map((b) => b.toFixed(2)),
  ];
};

const OPTIONS = {
  size: { type: 'string' },
  threads: { type: 'string' },
  rounds: { type: 'string' },
  words: { type: 'string' },
  python: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
