import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { regionsSections } from './regions-table.js';

const USAGE = 'usage: npm run bench:regions -- [--seconds 60] [--sides 100,200,1000,10000] [--threads 2] [--out FILE]';

const INTRO =
  'Interest regions of dense programs on random sparse inputs: the iterations that compute something other than zero. ' +
  'Evaluating takes patterns to the sets of all variables and the regions of all statements; solving, which needs no input, ' +
  'stands apart. isl evaluates the same equations, term by term, through its C API: points as unions of basic sets, `apply`, ' +
  '`intersect`, `union`, and for cycles `coalesce` and `subtract` of what is new until nothing is; its inputs and maps are ' +
  'made before the clock begins, and it counts nothing. Where it is done its counts are compared with ours afterwards, up to ' +
  '20 000 iterations. Times are those of the processor, all threads together, but for two columns: what the clock on the ' +
  'wall says of the same evaluation, and of one by several threads, whose workers have started. Both sides repeat the evaluation for a second, ' +
  'up to 1000 times: the first time, and the median of all. Ours run in one process, isl in one of its own for each case, ' +
  'with a time limit that holds for the making of its inputs too. Stencils take 10 steps.';

/** The command `npm run bench:regions`. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seconds: { type: 'string' },
      sides: { type: 'string' },
      threads: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const limit = Number(values.seconds ?? 60);
  const sides = values.sides?.split(',').map(Number);
  const threads = Number(values.threads ?? availableParallelism());
  if (!Number.isInteger(threads) || threads < 1 || !(limit > 0) || sides?.some((n) => !(n > 0)) === true)
    return misused(USAGE);
  const page = {
    title: 'Interest regions, beside isl',
    command: commandLine('bench:regions', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections: await regionsSections({ limit, sides, threads, say: (line) => process.stderr.write(`${line}\n`) }),
  };
  publish(fromHere(values.out ?? 'docs/benchmarks/regions.md'), page);
  return 0;
};

await runCommand(main, USAGE);
