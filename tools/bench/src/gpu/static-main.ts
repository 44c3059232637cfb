import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend, Sources } from '@filigree/backend';
import { emitOnly } from '@filigree/backend/device';
import { locate, runProcess } from '@filigree/backend/native';
import { gallery } from '@filigree/e2e';
import { fail, orThrow, pass, type Module } from '@filigree/ir';
import { DiagnosticError, backends } from 'filigree';
import { describeMachine } from '../machine.js';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { bytesByModel, type ModelledBytes } from './bytes-by-model.js';
import { chips, occupancy } from './occupancy.js';
import { resourcesOf, type Resources } from './resources.js';

const USAGE = 'usage: npm run gpu:static -- [EXAMPLE…] [--out FILE.md]';

/** Small, but large enough that what a program repeats is found: the text says nothing of lengths. */
const EXAMPLES: Readonly<Record<string, readonly [dtype: 'f32' | 'f64', args: Readonly<Record<string, string>>]>> = {
  power: ['f64', { k: '2', n: '64' }],
  'lmlt-plus-k': ['f64', { n: '100' }],
  cotan: ['f64', { n: '64' }],
  seissol: ['f32', { order: '4', size: '2' }],
  arap: ['f64', { n: '900' }],
  mpm2d: ['f32', { size: '32', steps: '1' }],
  mpm3d: ['f32', { size: '16', steps: '1' }],
  'sparse-cnn': ['f32', { size: '16' }],
  'sparse-saxpy': ['f32', { n: '64' }],
};

/** The command `npm run gpu:static`: what nvcc says of kernels, where no GPU is. */
const main = async (argv: readonly string[]): Promise<number> => {
  const names = argv.filter((a, k) => !a.startsWith('--') && argv[k - 1] !== '--out');
  const out = argv.includes('--out') ? argv[argv.indexOf('--out') + 1] : undefined;
  if (names.some((name) => !Object.hasOwn(EXAMPLES, name))) return misused(USAGE);
  const nvcc =
    (await locate(process.env.FILIGREE_NVCC ?? 'nvcc', process.env.PATH ?? '')) ??
    fail('toolchain/missing', 'there is no nvcc on this machine', {
      remedy: 'pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime, and set FILIGREE_NVCC',
    });
  const { stdout } = await runProcess(nvcc, ['--version'], { limitMs: 20_000 });
  const sections = [];
  for (const name of names.length > 0 ? names : Object.keys(EXAMPLES)) {
    console.error(name);
    const programs = await programsOf(name);
    const rows = programs.flatMap(async ({ sources }) =>
      Promise.all(chips.map(async (chip) => ({ chip, kernels: await resources(nvcc, sources, chip.name) }))),
    );
    sections.push({ name, found: (await Promise.all(rows)).flat(), moved: programs.flatMap(({ moved }) => moved) });
  }
  publish(fromHere(out ?? 'docs/benchmarks/gpu-static.md'), {
    title: 'GPU kernels, as the compiler sees them',
    machine: describeMachine(),
    command: commandLine('gpu:static', argv),
    intro: `Registers, memory and occupancy of the kernels of examples, said by nvcc (${/release [\d.]+, (V[\d.]+)/.exec(stdout)?.[1] ?? 'of unknown version'}, \`--resource-usage\`) for three chips. Nothing ran: no time stands here.`,
    sections: [
      {
        table: {
          head: [
            'example',
            'chip',
            'kernels',
            'registers: most',
            'registers: median',
            'spilled bytes',
            'shared bytes: most',
            'occupancy: least',
            'occupancy: median',
          ],
          rows: sections.flatMap(({ name, found }) =>
            chips.map((chip) => {
              const kernels = found.filter((f) => f.chip === chip).flatMap((f) => f.kernels);
              const registers = kernels.map((k) => k.registers);
              const share = kernels.map((k) => occupancy(chip, k, 256));
              const most = (list: readonly number[]): number => Math.max(0, ...list);
              return [
                name,
                chip.name,
                String(kernels.length),
                String(most(registers)),
                String(median(registers)),
                String(most(kernels.map((k) => k.spilled))),
                String(most(kernels.map((k) => k.shared))),
                percent(Math.min(1, ...share)),
                percent(median(share)),
              ];
            }),
          ),
        },
        notes: [
          'Occupancy: threads that a processor of the chip holds at once in blocks of 256, over the most that it can, as registers and shared memory allow.',
          'Spilled bytes: what a thread keeps in memory for want of registers, of the kernel with the most of it.',
        ],
      },
      {
        title: 'Bytes by model',
        table: {
          head: [
            'example',
            'arguments',
            'kernels',
            'bytes of all',
            'bytes: most',
            'of unknown length',
            'bytes an iteration: most',
          ],
          rows: sections.map(({ name, moved }) => {
            const [whole, open] = [true, false].map((is) => moved.filter((m) => m.whole === is).map((m) => m.bytes));
            return [
              name,
              Object.entries(EXAMPLES[name][1])
                .map(([k, v]) => `${k}=${v}`)
                .join(' '),
              String(moved.length),
              String(whole.reduce((sum, n) => sum + n, 0)),
              String(Math.max(0, ...whole)),
              String(open.length),
              open.length === 0 ? '–' : String(Math.max(...open)),
            ];
          }),
        },
        notes: [
          'What kernels must move between memory and threads, each run once, by what operations say of their accesses: an element that an access names comes once, goes once, or both where it is updated, as often as the loops run on which its index depends; of no buffer more than there is. What branches do counts always, and elements that neighbours share count for each.',
          'A kernel is of unknown length where a loop runs as often as memory says, as those over cells that are in use do: of such a loop one iteration counts.',
        ],
      },
    ],
  });
  return 0;
};

/** A program of an example as CUDA C++, and what its kernels must move. */
interface StaticProgram {
  readonly sources: Sources;
  readonly moved: readonly ModelledBytes[];
}

/** The programs of an example. It ends where it would run them. */
const programsOf = async (name: string): Promise<readonly StaticProgram[]> => {
  const [dtype, args] = EXAMPLES[name];
  const programs = new Map<string, StaticProgram>();
  const modules = new Map<Sources, Module>();
  const cuda = emitOnly(backends().find((b) => b.name === 'cuda')!);
  const backend: Backend = {
    ...cuda,
    emit: pass(cuda.emit.name, (module: Module) => {
      const sources = orThrow(cuda.emit.run(module));
      modules.set(sources, module);
      return sources;
    }),
  };
  const common = { backend, threads: 1, seed: 1, bench: false, ablate: [], progress: () => undefined };
  const emit = (program: string, sources: Sources): void =>
    void programs.set(program, { sources, moved: bytesByModel(modules.get(sources)!) });
  try {
    await gallery[name].run({ ...common, args, dtype, emit });
  } catch (e) {
    if (!(e instanceof DiagnosticError) || e.diagnostics[0].code !== 'run/emitted') throw e;
  }
  /* What hands out no sources was emitted all the same. */
  if (programs.size === 0)
    for (const [sources, module] of modules)
      programs.set(`${name} ${programs.size}`, { sources, moved: bytesByModel(module) });
  if (programs.size === 0)
    fail('gpu/sources', `the example '${name}' hands out no sources`, { remedy: 'leave it out' });
  return [...programs.values()];
};

const resources = async (nvcc: string, { files }: Sources, chip: string): Promise<readonly Resources[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'filigree-gpu-'));
  try {
    const [{ name, contents }] = files;
    writeFileSync(join(folder, name), contents);
    const flags = ['-cubin', `-arch=${chip}`, '--resource-usage', '-DFILIGREE_FAST_MATH', name, '-o', 'kernels.cubin'];
    const done = await runProcess(nvcc, flags, {
      cwd: folder,
      env: { ...process.env, TMPDIR: folder },
      limitMs: 600_000,
    });
    if (done.status !== 0)
      fail('cuda/compile', `nvcc failed with ${done.status}:\n${done.stderr.slice(0, 2000)}`, {
        remedy: 'this is a defect of the emitter: please report it',
      });
    return resourcesOf(done.stderr + done.stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0;

const percent = (share: number): string => `${Math.round(100 * share)} %`;

await runCommand(main, USAGE);
