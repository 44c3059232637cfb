import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fromHere } from './command.js';

/** Results of a long command that stand in a file as they come, a line of JSON each, so that it goes on where it was cut short. */
export interface KeptResults<R> {
  /** The result of this name that is in the file. */
  readonly find: (name: string) => R | undefined;
  /** Keeps a new result. */
  readonly add: (result: R) => void;
}

/**
 * The results of a file, which need not be there yet; without a file nothing is kept.
 *
 * @param file as whoever calls npm means it
 * @param nameOf what a result is found by: all that makes it different from others
 */
export const keptResults = <R>(file: string | undefined, nameOf: (result: R) => string): KeptResults<R> => {
  const path = file === undefined ? undefined : fromHere(file);
  const known = new Map<string, R>();
  const lines = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  for (const line of lines) {
    if (line === '') continue;
    const result = JSON.parse(line) as R;
    known.set(nameOf(result), result);
  }
  return {
    find: (name) => known.get(name),
    add: (result) => {
      known.set(nameOf(result), result);
      if (path !== undefined) appendFileSync(path, `${JSON.stringify(result)}\n`);
    },
  };
};

/** The arguments of a command but where it keeps its results, which says nothing about them. */
export const withoutResume = (argv: readonly string[]): readonly string[] =>
  argv.filter((a, k) => !a.startsWith('--resume') && argv[k - 1] !== '--resume');
