import { parseArgs } from 'node:util';
import { firstDye, firstVelocity, patternOn, SIMULATORS } from '@filigree/e2e';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup, type Contender } from '../measure.js';
import { ms, ratioCell } from '../table.js';
import { openSimulator } from './open-simulator.js';
import { pythonPeers } from './python-peers.js';
import { nativeSmoke } from './smoke-native.js';

const USAGE =
  'usage: npm run bench:smoke -- [--size 110] [--steps 100] [--sweeps 6] [--dtype f32|f64] [--rounds 9] [--python python3] [--out FILE.md]';

const INTRO =
  'Smoke that drifts into a pattern: the loss alone, and with its derivatives by all first velocities, beside an adjoint by hand in C++ ' +
  '(`tools/bench/native/smoke_gradient.cpp`), which keeps of a step only what is not linear. Before anything is timed both gradients are compared with each other, and ours ' +
  'with central differences. All in one process, one sample of each a round, on one thread. Programs in Python run afterwards in a process of their own, where the ' +
  'interpreter that is named finds their library: the least of five runs after a first one.';

/** The command `npm run bench:smoke`: the gradient of a smoke beside one by hand. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const [n, steps, sweeps, rounds] = [values.size ?? 110, values.steps ?? 100, values.sweeps ?? 6, values.rounds ?? 9].map(Number); // prettier-ignore
  const dtypes = values.dtype === undefined ? (['f32', 'f64'] as const) : [values.dtype];
  if (![n, steps, sweeps, rounds].every((v) => Number.isInteger(v) && v > 0)) return misused(USAGE);
  if (!dtypes.every((d) => d === 'f32' || d === 'f64')) return misused(USAGE);

  const simulator = SIMULATORS.find((s) => s.name === 'smoke')!;
  const sections = [];
  for (const dtype of dtypes) {
    const args = { size: String(n), steps: String(steps), sweeps: String(sweeps) };
    const { sim, error, close } = await openSimulator(simulator, args, { dtype, backend: 'cpp' });
    const setup = { n, steps, sweeps, dtype, dye: firstDye(n), target: patternOn(n), velocity: firstVelocity(n) };
    const native = nativeSmoke(setup);
    try {
      const ours = sim.gradient(sim.start).gradient;
      const contenders: Contender[] = [
        { name: 'filigree cpp: loss', run: () => void sim.value(sim.start), check: () => error },
        { name: 'filigree cpp: loss and gradient', run: () => void sim.gradient(sim.start), check: () => error },
      ];
      if ('found' in native) {
        const { value, gradient } = native.found;
        const largest = ours.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
        const apart = gradient().reduce((m, v, k) => Math.max(m, Math.abs(v - ours[k])), 0) / largest;
        contenders.push(
          { name: 'C++ by hand: loss', run: () => void value(), check: () => apart },
          { name: 'C++ by hand: loss and gradient', run: () => void gradient(), check: () => apart },
        );
      }
      const timings = measure(contenders, { rounds, tolerance: dtype === 'f64' ? 1e-6 : 5e-2 });
      const rows = timings.map((t, k) => [
        t.name,
        ms(t.median),
        timings.length > 2 ? ratioCell(speedup(timings[2 + (k % 2)], t)) : '–',
        t.maxRelError.toExponential(1),
      ]);
      const peers = pythonPeers(values.python ?? 'python3', {
        libraries: ['jax', 'autograd', 'torch'],
        script: 'smoke_gradient.py',
        args: [n, steps, sweeps, dtype],
        prints: { loss: 'loss', gradient: 'loss and gradient' },
      }).map((row) => [...row, '', '']);
      sections.push({
        title: `${n} × ${n} cells, ${steps} steps, ${sweeps} sweeps, ${dtype}`,
        table: { head: ['', 'ms', 'times as fast as by hand', 'off by'], rows: [...rows, ...peers] },
        notes: 'missing' in native ? [`no C++ by hand: ${native.missing}`] : [],
      });
    } finally {
      if ('found' in native) native.found.close();
      close();
    }
  }
  publish(fromHere(values.out ?? 'docs/benchmarks/smoke-gradient.md'), {
    title: 'The gradient of a smoke',
    command: commandLine('bench:smoke', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections,
  });
  return 0;
};

const OPTIONS = {
  size: { type: 'string' },
  steps: { type: 'string' },
  sweeps: { type: 'string' },
  dtype: { type: 'string' },
  rounds: { type: 'string' },
  python: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
