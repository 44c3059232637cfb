import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { keptResults, withoutResume } from '../kept-results.js';
import { describeMachine } from '../machine.js';
import {
  measureLina,
  measureSeissol,
  planningMs,
  sizeFor,
  type MeasureTensorOptions,
  type TensorSpeed,
} from './measure-tensors.js';
import { linaSection, planningTable, seissolSection, tensorChart } from './tensor-table.js';

const USAGE = `usage: npm run bench:tensor -- [--orders 2,3,4,5,6,7] [--dtypes f64,f32] [--simulations 1,8,16,32] [--lina 8,16,24,32|none] [--size 3] [--rounds 41] [--backend NAME] [--resume FILE.jsonl] [--out FILE.md]
--simulations: for f64 those up to 16, for f32 1 and those from 16, as in the paper
--size: cubes a side of SeisSol's mesh for the most simulations; fewer have finer ones, which take as much memory
--resume: what stands in this file is not measured again; new results are added to it`;

/** The command `npm run bench:tensor`. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const list = (text: string): number[] => text.split(',').map(Number);
  const orders = list(values.orders ?? '2,3,4,5,6,7');
  const dtypes = (values.dtypes ?? 'f64,f32').split(',').filter((d) => d === 'f32' || d === 'f64');
  const simulations = list(values.simulations ?? '1,8,16,32');
  const lina = values.lina === 'none' ? [] : list(values.lina ?? '8,16,24,32');
  const [size, rounds] = [Number(values.size ?? 3), Number(values.rounds ?? 41)];
  const { backend } = values;
  const whole = (least: number, most: number) => (n: number) => Number.isInteger(n) && n >= least && n <= most;
  if (
    dtypes.length === 0 ||
    !orders.every(whole(2, 7)) ||
    !simulations.every(whole(1, 64)) ||
    !lina.every(whole(2, 32)) ||
    ![size, rounds].every(whole(1, 1000))
  )
    return misused(USAGE);

  const kept = keptResults<KeptSpeed>(values.resume, ({ name }) => name);
  /** Measures what was not measured before, and says how fast it is. */
  const speedOf = async (name: string, measure: () => Promise<TensorSpeed>): Promise<TensorSpeed> => {
    const known = kept.find(name)?.speed;
    const r = known ?? (await measure());
    if (!known) kept.add({ name, speed: r });
    console.error(
      `${name}: ${r.hardware.toFixed(1)} GFLOP/s in hardware of ${r.peak.toFixed(1)} (${r.nonzero.toFixed(1)} on non-zeros)${'ratio' in r.library ? `, ${r.library.ratio.toFixed(2)} times LIBXSMM` : ''}`,
    );
    return r;
  };
  const file = fromHere(values.out ?? 'docs/benchmarks/tensor.md');
  const picture = file.replace(/(\.md)?$/, '.svg');
  const planning = orders.map((order) => {
    const simulation = Math.min(8, Math.max(...simulations));
    return { order, dtype: dtypes[0], simulations: simulation, ms: planningMs(order, dtypes[0], simulation) };
  });
  const tets: TensorSpeed[] = [];
  for (const dtype of dtypes) {
    const together = simulations.filter((n) => n === 1 || (dtype === 'f64' ? n <= 16 : n >= 16));
    for (const order of orders)
      for (const s of together) {
        const options = { dtype, order, size: sizeFor(order, s, Math.max(...together), size), rounds, backend };
        tets.push(
          await speedOf(nameOf('SeisSol', options, `×${s}`), () => measureSeissol({ ...options, simulations: s })),
        );
      }
  }
  const cells: TensorSpeed[] = [];
  for (const dimensions of [2, 3] as const)
    for (const dtype of dtypes)
      for (const order of lina) {
        const options = { dtype, order, size: dimensions === 2 ? 8 : 3, rounds, backend };
        cells.push(
          await speedOf(nameOf(`LinA ${dimensions}-D`, options), () => measureLina({ ...options, dimensions })),
        );
      }
  const page = {
    title: 'Small tensors: SeisSol and LinA',
    command: commandLine('bench:tensor', withoutResume(argv)),
    machine: describeMachine(),
    intro: `The kernels of two discontinuous Galerkin codes from their formulas (\`filigree run seissol\`, \`filigree run lina\`), one core.\n\n![shares of the peak](${basename(picture)})`,
    sections: [
      seissolSection(tets),
      ...(cells.length > 0 ? [linaSection(cells)] : []),
      {
        title: "Planning SeisSol's whole set of kernels",
        table: planningTable(planning),
        notes: [
          'Patterns, order, layouts, mappings, control flow of all derivatives, the Taylor sum, the volume, 4 local and 48 neighbour fluxes. Goal: below 10 s.',
        ],
      },
    ],
  };
  publish(file, page);
  writeFileSync(picture, tensorChart([...tets, ...cells]));
  return 0;
};

/** A result with all that it was measured for. */
interface KeptSpeed {
  readonly name: string;
  readonly speed: TensorSpeed;
}

const nameOf = (
  label: string,
  { dtype, order, size, rounds, backend }: MeasureTensorOptions,
  simulations = '',
): string =>
  [`${label} order ${order} ${dtype}`, simulations, `size ${size}`, `${rounds} rounds`, backend ? `on ${backend}` : '']
    .filter((part) => part !== '')
    .join(', ');

const OPTIONS = {
  orders: { type: 'string' },
  dtypes: { type: 'string' },
  simulations: { type: 'string' },
  lina: { type: 'string' },
  size: { type: 'string' },
  rounds: { type: 'string' },
  backend: { type: 'string' },
  resume: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
