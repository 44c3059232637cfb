import { parseArgs } from 'node:util';
import { fail } from '@filigree/ir';
import { dense, ij, layout } from '@filigree/sparse/fields';
import { program } from 'filigree';
import koffi from 'koffi';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup, type Timing } from '../measure.js';
import { buildLibrary } from '../native/build.js';
import { findCompiler } from '../native/toolchain.js';
import { printedByPython } from '../python-script.js';
import { ms } from '../table.js';
import { kernels, out, pictures } from './pictures.js';

const USAGE = 'usage: npm run bench:escape -- [--size 512] [--rounds 15] [--python python3] [--out FILE.md]';

const INTRO =
  'Pictures of which each point is a loop that ends where it likes: the Mandelbrot set and a Julia set by the steps until a point escapes, a scene of two spheres and a plane and a ' +
  'surface of sines by marching along rays, cube roots and Kepler’s equation by iteration until they converge, numbers looked for in a table in order, light through cells of fog, and, as the worst that can happen to lanes, points of which one of 32 takes 500 times as long as its neighbours (`vectorWidth: 1` of a kernel keeps such a loop off lanes). f32, one thread. “on lanes” is the kernel as it is written; “one by one” is the same without `vectorize-nests`; C++ is what ' +
  'one writes, and its compiler puts no such loop on lanes. A point may differ where rounding decides whether it escapes: at most one of a hundred does, which is checked before anything is timed. ' +
  'Samples are taken in turns in one process; Taichi, where it is found, runs in one of its own.';

const OPTIONS = {
  size: { type: 'string' },
  rounds: { type: 'string' },
  python: { type: 'string' },
  out: { type: 'string' },
} as const;

/** The command `npm run bench:escape`: loops that end at another iteration on each lane. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const [size, rounds] = [Number(values.size ?? 512), Number(values.rounds ?? 15)];
  if (!(Number.isInteger(size) && size > 0) || !(rounds >= 6)) return misused(USAGE);
  const peer = printedByPython<Record<string, { ms: number; mean: number }>>(values.python ?? 'python3', 'escape.py', [
    size,
  ]);
  const names = Object.keys(pictures) as (keyof typeof pictures)[];
  const rows: string[][] = [];
  for (const name of names) {
    process.stderr.write(`${name}\n`);
    const timings = await timed(name, size, rounds);
    const by = (other: string): Timing => timings.find((t) => t.name === other)!;
    const ratio = (than: string, to: string): string => speedup(by(than), by(to)).ratio.toFixed(2);
    const taichi = 'found' in peer ? peer.found[name] : undefined;
    rows.push([
      name,
      ...timings.map((t) => ms(t.median)),
      taichi ? ms(taichi.ms) : 'why' in peer ? peer.why : '',
      ratio('C++', 'on lanes'),
      ratio('one by one', 'on lanes'),
      ratio('one by one, wasm', 'on lanes, wasm'),
      taichi ? (taichi.ms / by('on lanes').median).toFixed(2) : '',
    ]);
  }
  publish(fromHere(values.out ?? 'docs/benchmarks/escape.md'), {
    title: 'Loops that end where they like',
    command: commandLine('bench:escape', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections: [
      {
        title: `Milliseconds, ${size} × ${size} points`,
        table: {
          head: [
            'picture',
            ...CONTENDERS,
            'Taichi',
            'C++ ÷ on lanes',
            'one by one ÷ on lanes',
            'the same, wasm',
            'Taichi ÷ on lanes',
          ],
          rows,
        },
      },
    ],
  });
  return 0;
};

const CONTENDERS = ['on lanes', 'one by one', 'on lanes, wasm', 'one by one, wasm', 'C++'] as const;

const timed = async (name: keyof typeof pictures, size: number, rounds: number): Promise<readonly Timing[]> => {
  const hand = byHand(name, size);
  hand.run();
  const programs = await Promise.all(
    (['cpp', 'wasm'] as const).flatMap((backend) =>
      [false, true].map(async (alone) => {
        const sim = await program({
          layout: layout(dense(ij, size).place(out)),
          kernels: { picture: kernels[name] },
          backend,
          threads: 1,
          ...(alone && { ablate: ['vectorize'] }),
        });
        return {
          sim,
          name: `${alone ? 'one by one' : 'on lanes'}${backend === 'wasm' ? ', wasm' : ''}`,
          run: () => sim.run.picture(size),
          check: () => differing(sim.field(out).toArray(), hand.picture),
        };
      }),
    ),
  );
  try {
    return measure([...programs, { name: 'C++', run: hand.run, check: () => 0 }], { rounds, tolerance: 0.01 });
  } finally {
    for (const { sim } of programs) sim.dispose();
  }
};

/** The share of points that differ by more than rounding. */
const differing = (found: ArrayLike<number>, expected: ArrayLike<number>): number => {
  let wrong = 0;
  for (let n = 0; n < expected.length; n++)
    if (!(Math.abs(found[n] - expected[n]) <= 1e-3 * Math.max(1, Math.abs(expected[n])))) wrong++;
  return wrong / expected.length;
};

const byHand = (name: string, size: number): { readonly run: () => void; readonly picture: Float32Array } => {
  const compiler = findCompiler();
  if ('missing' in compiler) return fail('bench/compiler', compiler.missing);
  const library = koffi.load(buildLibrary({ file: 'escape.cpp' }, compiler.found));
  const picture = new Float32Array(size * size);
  const draw = library.func(`void ${name}(void *out, int n)`);
  return { picture, run: () => void draw(picture, size) };
};

await runCommand(main, USAGE);
