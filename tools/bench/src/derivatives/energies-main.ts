import { parseArgs } from 'node:util';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup } from '../measure.js';
import type { DType } from '../native/baseline.js';
import { ms, ratioCell } from '../table.js';
import { faceContenders } from './face-contenders.js';
import { pythonPeers } from './python-peers.js';
import { dirichletOf, stvkOf, WHATS, type FaceEnergy, type What } from './face-energies.js';

const USAGE =
  'usage: npm run bench:energies -- [--side 144] [--dirichlet-side 144] [--dtype f32|f64] [--rounds 15] [--python python3] [--out FILE.md]';

const INTRO =
  'Energies of the faces of a mesh, written as plain loops: the energy, its gradient, and its whole Hessian as a sparse matrix whose pattern is found, each a program of its own. Beside them formulas by ' +
  'hand in C++ (`tools/bench/native/face_energy.cpp`), with sizes that the compiler knows and the places of all entries found before. Before anything is timed the energies are compared with the ' +
  'plain function, gradients and Hessians of both with each other. One thread; all of a section in one process, one sample of each a round. Programs in Python run afterwards in a process of their ' +
  'own, where the interpreter that is named finds their library: the least of five runs after a first one; their Hessians are those of all faces, not yet added up.';

/** The command `npm run bench:energies`: derivatives of energies beside formulas by hand. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const [side, flat, rounds] = [values.side ?? 144, values['dirichlet-side'] ?? 144, values.rounds ?? 15].map(Number);
  const dtype = values.dtype ?? 'f64';
  if (![side, flat, rounds].every((v) => Number.isInteger(v) && v > 1)) return misused(USAGE);
  if (dtype !== 'f64' && dtype !== 'f32') return misused(USAGE);

  const sections = [];
  for (const energy of [dirichletOf(flat), stvkOf(side)]) {
    const rows: string[][] = [];
    const notes: string[] = [];
    for (const what of WHATS) {
      const found = await compared(energy, what, dtype, rounds);
      rows.push(...found.rows);
      notes.push(found.note);
      process.stderr.write(`${energy.title}: ${found.rows.map((r) => r.join(' | ')).join('; ')}\n`);
    }
    const peers = pythonPeers(values.python ?? 'python3', {
      libraries: ['jax', 'autograd'],
      script: 'face_energy.py',
      args: [...energy.python, dtype],
      prints: Object.fromEntries(WHATS.map((what) => [what, what])),
    });
    rows.push(...peers.map((row) => [...row, '', '']));
    const head = ['', 'ms', 'times as fast as by hand', 'off by'];
    sections.push({ title: `${energy.title}, ${dtype}`, table: { head, rows }, notes });
  }
  publish(fromHere(values.out ?? 'docs/benchmarks/symmetric-dirichlet.md'), {
    title: 'Energies of faces, and their derivatives',
    command: commandLine('bench:energies', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections,
  });
  return 0;
};

/** One of the three, ours and by hand, in turns. */
const compared = async (
  energy: FaceEnergy,
  what: What,
  dtype: DType,
  rounds: number,
): Promise<{ readonly rows: readonly string[][]; readonly note: string }> => {
  const { contenders, cost, close } = await faceContenders(energy, what, dtype);
  try {
    const timings = measure(contenders, { rounds, tolerance: dtype === 'f64' ? 1e-9 : 1e-3 });
    const total = Object.values(cost.ms).reduce((sum, t) => sum + t, 0);
    return {
      rows: timings.map((t) => [
        t.name,
        ms(t.median),
        ratioCell(speedup(timings[1], t)),
        t.maxRelError.toExponential(1),
      ]),
      note:
        `${what}: compiled in ${total.toFixed(0)} ms to ${cost.kernels} kernels; a run moves ${(cost.bytesMoved / 1e6).toFixed(1)} MB, ` +
        `of which ${(cost.indexBytes / 1e6).toFixed(1)} MB are indices`,
    };
  } finally {
    close();
  }
};

const OPTIONS = {
  side: { type: 'string' },
  'dirichlet-side': { type: 'string' },
  dtype: { type: 'string' },
  rounds: { type: 'string' },
  python: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
