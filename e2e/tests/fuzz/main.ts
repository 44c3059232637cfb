/**
 * `npm run fuzz -- [kernels|bits|scripts|traces|gradients] [--count 20000] [--seed 1] [--every 5] [--backends wasm,FILE#EXPORT]`: random programs held against plain evaluation, scripts against JavaScript, and
 * gradients of random kernels against tangents and differences. Prints
 * a minimal program for each fault and ends with status 1 where there is one.
 */
import { parseArgs } from 'node:util';
import { cpp } from '@filigree/backend-cpp';
import { backendOf } from './backends.js';
import type { Findings } from './fuzz.js';
import { fuzzGradients } from './gradients/fuzz.js';
import { fuzzKernels } from './kernels/fuzz.js';
import { fuzzScripts } from './scripts/fuzz.js';
import { fuzzTraces } from './traces/fuzz.js';
import type { Level } from './traces/run.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    backends: { type: 'string' },
    every: { type: 'string', default: '5' },
    most: { type: 'string', default: '5' },
    levels: { type: 'string', default: 'exact,range-keeping,algebraic' },
    inside: { type: 'boolean', default: false },
  },
});

const backends = values.backends?.split(',') ?? ['wasm', ...((await cpp().probe()).usable ? ['cpp'] : [])];
const common = {
  seed: Number(values.seed),
  count: Number(values.count),
  first: Number(values.first),
  backends: await Promise.all(backends.filter((b) => b !== '').map((b) => backendOf(b, Number(values.seed)))),
  every: Number(values.every),
  most: Number(values.most),
  say: (line: string) => console.error(line),
};

const report = (what: string, { tried, faults, refused }: Findings): number => {
  for (const [code, n] of refused) console.log(`${n} ${what} refused with ${code}`);
  console.log(`${tried} ${what}, ${faults.length} faults`);
  return faults.length;
};

const wants = (what: string): boolean => positionals.length === 0 || positionals.includes(what);
const levels = values.levels.split(',') as Level[];
const faults =
  (wants('kernels') ? report('kernels', await fuzzKernels({ ...common, outside: !values.inside })) : 0) +
  (wants('bits')
    ? report('kernels in few bits', await fuzzKernels({ ...common, outside: !values.inside, few: true }))
    : 0) +
  (wants('scripts') ? report('scripts', await fuzzScripts(common)) : 0) +
  (wants('traces') ? report('traced programs', await fuzzTraces({ ...common, levels })) : 0) +
  (wants('gradients') ? report('gradients', await fuzzGradients(common)) : 0);
process.exitCode = faults > 0 ? 1 : 0;
