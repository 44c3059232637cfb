import { execFileSync, spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { ms } from '../table.js';

const USAGE = 'usage: npm run bench:busy -- [--rounds 5] [--seconds 1] [--out FILE.md]';

const INTRO =
  'A step of a small and of a large stencil (two loops each) on one thread and on two, by how many times threads of libgomp look for work before they sleep ' +
  '(`GOMP_SPINCOUNT`), which is set where the user set neither that nor `OMP_WAIT_POLICY`. Each sample is a process of its own, in turns; the numbers are the medians over rounds of ' +
  'mean steps. “busy” is with one process beside it that never stops. `default` is what libgomp does by itself. ' +
  'In all of them a launch that takes much longer than it could is tried on one thread, and stays there while that is faster.';

/** The command `npm run bench:busy`: how long threads wait, on a quiet machine and on a busy one. */
const main = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseArgs({
    args: [...argv],
    options: { rounds: { type: 'string' }, seconds: { type: 'string' }, out: { type: 'string' } },
  });
  const [rounds, seconds] = [Number(parsed.values.rounds ?? 5), parsed.values.seconds ?? '1'];
  if (!(rounds >= 1) || !(Number(seconds) > 0)) return misused(USAGE);
  const cases = ['small', 'large'].flatMap((name) =>
    [['1', 'default'] as const, ...['0', '100', '1000', '10000', 'default'].map((spins) => ['2', spins] as const)].map(
      ([threads, spins]) => ({ name, threads, spins }),
    ),
  );
  const found = new Map<string, number[]>();
  for (const busy of [false, true]) {
    const beside = busy ? spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }) : undefined;
    try {
      for (let round = 0; round < rounds; round++)
        for (const { name, threads, spins } of cases) {
          const key = `${name} ${threads} ${spins} ${busy ? 'busy' : 'quiet'}`;
          process.stderr.write(`${key}\n`);
          found.set(key, [...(found.get(key) ?? []), sample(name, threads, spins, seconds)]);
        }
    } finally {
      beside?.kill();
    }
  }
  const median = (key: string): number => {
    const all = [...(found.get(key) ?? [])].sort((a, b) => a - b);
    return all[all.length >> 1];
  };
  publish(fromHere(parsed.values.out ?? 'docs/benchmarks/busy.md'), {
    title: 'Threads on a busy machine',
    command: commandLine('bench:busy', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections: [
      {
        title: `Times on ${cpus().length} processors`,
        table: {
          head: ['stencil', 'threads', 'looks', 'quiet, ms', 'busy, ms', 'busy ÷ quiet'],
          rows: cases.map(({ name, threads, spins }) => {
            const [quiet, busy] = ['quiet', 'busy'].map((how) => median(`${name} ${threads} ${spins} ${how}`));
            return [name, threads, spins, ms(quiet), ms(busy), (busy / quiet).toFixed(2)];
          }),
        },
      },
    ],
  });
  return 0;
};

const child = fileURLToPath(new URL('./step-child.ts', import.meta.url));

/** The mean step of one process. */
const sample = (...args: readonly string[]): number =>
  Number(
    execFileSync(process.execPath, ['--conditions=@filigree/source', '--import', 'tsx', child, ...args], {
      encoding: 'utf8',
    })
      .trim()
      .split(' ')[1],
  );

await runCommand(main, USAGE);
