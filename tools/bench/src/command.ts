import { resolve } from 'node:path';
import { DiagnosticError } from '@filigree/ir';
import { type BenchmarkPage, benchmarkPage, writeBenchmarkPage } from './table.js';

/** A path as whoever calls npm means it: from the folder in which they stand. */
export const fromHere = (path: string): string => resolve(process.env.INIT_CWD ?? process.cwd(), path);

/** The command that was given, for the head of its page. */
export const commandLine = (script: string, argv: readonly string[]): string =>
  `npm run ${script}${argv.length > 0 ? ` -- ${argv.join(' ')}` : ''}`;

/** Writes a page, and prints it. */
export const publish = (file: string, page: BenchmarkPage): void => {
  writeBenchmarkPage(file, page);
  console.log(benchmarkPage(page));
};

/** Says how a command is used; gives its exit status. */
export const misused = (usage: string): number => {
  console.error(usage);
  return 2;
};

/** The exit status of some work: its own, or 1 with the diagnostic that it ended by on stderr. */
export const statusOf = async (work: () => Promise<number>): Promise<number> => {
  try {
    return await work();
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    console.error(e.message);
    return 1;
  }
};

/** Runs a command on the arguments of this process; where `parseArgs` cannot read them, it says how the command is used. */
export const runCommand = async (main: (argv: readonly string[]) => Promise<number>, usage: string): Promise<void> => {
  try {
    process.exitCode = await statusOf(() => main(process.argv.slice(2)));
  } catch (e) {
    if (!(e instanceof TypeError && String((e as { code?: string }).code).startsWith('ERR_PARSE_ARGS'))) throw e;
    process.exitCode = misused(usage);
  }
};
