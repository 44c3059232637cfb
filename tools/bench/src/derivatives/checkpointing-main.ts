import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SIMULATORS } from '@filigree/e2e';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure } from '../measure.js';
import { slopeOf } from '../slope.js';
import { ms } from '../table.js';
import { growthSvg } from '../growth-svg.js';
import { openSimulator } from './open-simulator.js';

const USAGE =
  'usage: npm run bench:checkpointing -- [--steps 64,128,…] [--size NODES] [--dtype f32|f64] [--rounds 6] [--out FILE.md]';

const INTRO =
  'The gradient of an elastic robot (`diffmpm`) by the number of steps, with all states kept (`keep: all`), and with the first states of √n segments, whose steps run ' +
  'again (`keep: root`). Memory is what the tape holds at most. Both gradients are compared with each other before they are timed, in turns, on one thread.';

/** The command `npm run bench:checkpointing`: memory and time of gradients against the number of steps. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const counts = (values.steps ?? '64,128,256,512,1024,2048,4096').split(',').map(Number);
  const [size, rounds, dtype] = [values.size ?? '32', Number(values.rounds ?? 6), values.dtype ?? 'f64'];
  if (!counts.every((n) => Number.isInteger(n) && n > 1) || !(Number.isInteger(rounds) && rounds > 0))
    return misused(USAGE);
  if ((dtype !== 'f64' && dtype !== 'f32') || !(Number(size) >= 16)) return misused(USAGE);

  const simulator = SIMULATORS.find((s) => s.name === 'diffmpm')!;
  const found: Record<'n' | 'all' | 'root' | 'allMs' | 'rootMs', number>[] = [];
  for (const n of counts) {
    const open = (keep: string) =>
      openSimulator(simulator, { size, steps: String(n), keep }, { dtype, backend: 'cpp' });
    const [all, root] = [await open('all'), await open('root')];
    try {
      const [a, b] = [all, root].map(({ sim }) => sim.gradient(sim.start).gradient);
      const apart = Math.max(...a.map((v, k) => Math.abs(v - b[k]))) / Math.max(...a.map(Math.abs));
      const contenders = [all, root].map(({ sim }, k) => ({
        name: ['all', 'root'][k],
        run: () => void sim.gradient(sim.start),
        check: () => apart,
      }));
      const [allMs, rootMs] = measure(contenders, { rounds, tolerance: dtype === 'f64' ? 1e-9 : 1e-3 });
      found.push({
        n,
        all: all.tapeBytes / 1e6,
        root: root.tapeBytes / 1e6,
        allMs: allMs.median,
        rootMs: rootMs.median,
      });
      process.stderr.write(`${n} steps: ${ms(allMs.median)} ms, ${ms(rootMs.median)} ms\n`);
    } finally {
      all.close();
      root.close();
    }
  }
  const file = fromHere(values.out ?? 'docs/benchmarks/checkpointing.md');
  const picture = file.replace(/\.md$/, '.svg');
  writeFileSync(
    picture,
    growthSvg({
      title: 'Memory of a gradient by the number of steps',
      across: 'steps',
      up: 'MB',
      lines: [
        { name: 'all states', points: found.map((f) => [f.n, f.all]) },
        { name: '√n segments', points: found.map((f) => [f.n, f.root]) },
      ],
    }),
  );
  const slope = (of: (f: (typeof found)[number]) => number): string =>
    found.length > 1 ? slopeOf(found.map((f) => [Math.log(f.n), Math.log(of(f))])).toFixed(2) : '–';
  publish(file, {
    title: 'Checkpointing',
    command: commandLine('bench:checkpointing', argv),
    machine: describeMachine(),
    intro: `${INTRO}\n\n![Memory by the number of steps](${picture.split(/[/\\]/).pop()})`,
    sections: [
      {
        title: `diffmpm in the plane, ${size} nodes a side, ${dtype}`,
        table: {
          head: ['steps', 'all: MB', '√n: MB', 'all: ms', '√n: ms', '√n ÷ all, time'],
          rows: found.map((f) => [
            String(f.n),
            f.all.toFixed(2),
            f.root.toFixed(2),
            ms(f.allMs),
            ms(f.rootMs),
            (f.rootMs / f.allMs).toFixed(2),
          ]),
        },
        notes: [
          `Memory grows as n to the power of ${slope((f) => f.all)} where all is kept, of ${slope((f) => f.root)} with √n segments (least squares through the logarithms).`,
        ],
      },
    ],
  });
  return 0;
};

const OPTIONS = {
  steps: { type: 'string' },
  size: { type: 'string' },
  dtype: { type: 'string' },
  rounds: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
