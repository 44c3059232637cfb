import { parseArgs } from 'node:util';
import { lifeBytes, lifeOf, lifeRule } from '@filigree/e2e';
import { fail } from '@filigree/ir';
import { program } from 'filigree';
import koffi from 'koffi';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup, type Contender, type Timing } from '../measure.js';
import { buildLibrary } from '../native/build.js';
import { findCompiler } from '../native/toolchain.js';
import { ms } from '../table.js';

const USAGE = 'usage: npm run bench:life -- [--size CELLS,…] [--rounds 15] [--out FILE.md]';

const INTRO =
  'A step of the Game of Life (B3/S23) on squares of cells, a third of which live at first. “words” is the kernel as it is written, a loop over ' +
  'cells, on a layout of one bit a cell; “cells” is the same without `vectorize-bits`; “bytes” the same on a layout of bytes. “by hand” is C++ on words of 64 cells, ' +
  'with adders that are written for this rule and a margin of dead words, so that it asks for no ends of rows. All results are compared with C++ on bytes before ' +
  'anything is timed; samples are taken in turns in one process. A cycle is that of a chain of additions, measured in the same run.';

/** The command `npm run bench:life`: words beside cells, bytes and C++ by hand. */
const main = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseArgs({ args: [...argv], options: OPTIONS });
  const sizes = (parsed.values.size ?? '1024,4096').split(',').map(Number);
  const rounds = Number(parsed.values.rounds ?? 15);
  if (sizes.some((n) => !(n > 0 && n % 512 === 0)) || !(rounds >= 6)) return misused(USAGE);
  const rows: string[][] = [];
  const ratios: string[][] = [];
  for (const size of sizes) {
    process.stderr.write(`${size} × ${size}\n`);
    const { timings, gigahertz, bytes } = await timed(size, rounds);
    const step = (t: Timing): number => t.median / 2;
    for (const [n, t] of timings.entries()) {
      const perNs = size ** 2 / (1e6 * step(t));
      const cores = t.name.endsWith('two threads') ? 2 : 1;
      rows.push([
        String(size),
        t.name,
        ms(step(t)),
        perNs.toFixed(2),
        (perNs / gigahertz / cores).toFixed(2),
        bytes[n] === undefined ? '' : ((8 * bytes[n]) / size ** 2 / 2).toFixed(3),
      ]);
    }
    const by = (name: string): Timing => timings.find((t) => t.name === name)!;
    for (const [from, to] of [
      ['cells', 'words'],
      ['bytes', 'words'],
      ['by hand', 'words'],
      ['by hand', 'words in blocks'],
      ['words', 'words, wasm'],
    ] as const) {
      const { ratio, low, high } = speedup(by(from), by(to));
      ratios.push([String(size), to, from, ratio.toFixed(2), `${low.toFixed(2)} – ${high.toFixed(2)}`]);
    }
  }
  publish(fromHere(parsed.values.out ?? 'docs/benchmarks/game-of-life.md'), {
    title: 'The Game of Life on bits',
    command: commandLine('bench:life', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections: [
      {
        title: 'Times',
        table: {
          head: ['size', 'program', 'ms a step', 'cells a ns', 'cells a cycle and core', 'bits a cell and buffer'],
          rows,
        },
      },
      { title: 'How many times faster', table: { head: ['size', 'this', 'than', 'ratio', '95 %'], rows: ratios } },
    ],
  });
  return 0;
};

const OPTIONS = { size: { type: 'string' }, rounds: { type: 'string' }, out: { type: 'string' } } as const;

interface Timed {
  readonly timings: readonly Timing[];
  readonly gigahertz: number;
  /** Bytes of both buffers, of each contender of ours. */
  readonly bytes: readonly (number | undefined)[];
}

const timed = async (size: number, rounds: number): Promise<Timed> => {
  const hand = byHand(size);
  const first = new Uint8Array(size * size);
  let state = 2463534242;
  for (let n = 0; n < first.length; n++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state = (state ^ (state << 5)) >>> 0;
    first[n] = state % 3 === 0 ? 1 : 0;
  }
  const expected = hand.expected(first);
  const programs = await Promise.all(
    OURS.map(async ({ name, quant, sparse, backend, threads, ablate }) => {
      const life = lifeOf(size, { quant, sparse }, lifeRule('B3/S23'));
      const sim = await program({ ...life, backend, threads, ablate });
      const now = sim.field(life.fields.now);
      const box = { from: [0, 0], to: [size, size] };
      now.fromArray(Int8Array.from(first), box);
      const contender: Contender = {
        name,
        run: () => {
          sim.run.there();
          sim.run.back();
        },
        check: () => differing(now.toArray(box), expected),
      };
      return { sim, contender, bytes: lifeBytes(sim.storage) };
    }),
  );
  hand.start(first);
  try {
    const timings = measure(
      [
        ...programs.map((p) => p.contender),
        { name: 'by hand', run: hand.run, check: () => differing(hand.cells(), expected) },
      ],
      { rounds, tolerance: 0 },
    );
    return { timings, gigahertz: hand.gigahertz(), bytes: programs.map((p) => p.bytes) };
  } finally {
    for (const { sim } of programs) sim.dispose();
  }
};

interface Ours {
  readonly name: string;
  readonly quant: boolean;
  readonly sparse: boolean;
  readonly backend: 'cpp' | 'wasm';
  readonly threads: number;
  readonly ablate: readonly 'vectorize-bits'[];
}

const plain = { quant: true, sparse: false, backend: 'cpp', threads: 1, ablate: [] } as const;

const OURS: readonly Ours[] = [
  { ...plain, name: 'words' },
  { ...plain, name: 'words in blocks', sparse: true },
  { ...plain, name: 'words, two threads', threads: 2 },
  { ...plain, name: 'words, wasm', backend: 'wasm' },
  { ...plain, name: 'cells', ablate: ['vectorize-bits'] },
  { ...plain, name: 'bytes', quant: false },
];

const differing = (found: ArrayLike<number>, expected: ArrayLike<number>): number => {
  let wrong = 0;
  for (let n = 0; n < expected.length; n++) if (found[n] !== expected[n]) wrong++;
  return wrong;
};

/** The program by hand, and what two steps lead to by another one. */
const byHand = (size: number) => {
  const compiler = findCompiler();
  if ('missing' in compiler) return fail('bench/compiler', compiler.missing);
  const library = koffi.load(buildLibrary({ file: 'life.cpp' }, compiler.found));
  const words = library.func('void life_words(const void *a, void *b, long rows, long words)');
  const bytes = library.func('void life_bytes(const void *a, void *b, long rows, long columns)');
  const cycles = library.func('long life_cycles(long n)');
  const across = size / 64;
  const [a, b] = [0, 1].map(() => new BigUint64Array((size + 2) * (across + 2)));
  const run = (): void => {
    words(a, b, size, across);
    words(b, a, size, across);
  };
  const wordOf = (y: number, x: number): number => (y + 1) * (across + 2) + 1 + Math.floor(x / 64);
  return {
    run,
    start: (cells: Uint8Array): void => {
      for (let y = 0; y < size; y++)
        for (let w = 0; w < across; w++) {
          let word = 0n;
          for (let bit = 63; bit >= 0; bit--) word = (word << 1n) | BigInt(cells[y * size + 64 * w + bit]);
          a[wordOf(y, 64 * w)] = word;
        }
    },
    cells: (): Uint8Array => {
      const cells = new Uint8Array(size * size);
      for (let y = 0; y < size; y++)
        for (let w = 0; w < across; w++) {
          const word = a[wordOf(y, 64 * w)];
          for (let bit = 0; bit < 64; bit++) cells[y * size + 64 * w + bit] = Number((word >> BigInt(bit)) & 1n);
        }
      return cells;
    },
    expected: (cells: Uint8Array): Uint8Array => {
      const [x, z] = [0, 1].map(() => new Uint8Array((size + 2) ** 2));
      for (let y = 0; y < size; y++) x.set(cells.subarray(y * size, (y + 1) * size), (y + 1) * (size + 2) + 1);
      bytes(x, z, size, size);
      bytes(z, x, size, size);
      const made = new Uint8Array(size * size);
      for (let y = 0; y < size; y++) made.set(x.subarray((y + 1) * (size + 2) + 1).subarray(0, size), y * size);
      return made;
    },
    gigahertz: (): number => {
      const n = 2_000_000;
      cycles(n);
      const times = Array.from({ length: 50 }, () => {
        const start = performance.now();
        cycles(n);
        return performance.now() - start;
      });
      return n / (1e6 * Math.min(...times));
    },
  };
};

await runCommand(main, USAGE);
