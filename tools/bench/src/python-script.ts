import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a script in Python printed as JSON, or why it did not. */
export type Printed<T> = { readonly found: T } | { readonly why: string };

/** Runs a script of `native/`, which ends with status 3 where its library is not installed. */
export const printedByPython = <T>(python: string, script: string, args: readonly (string | number)[]): Printed<T> => {
  const given = [join(NATIVE, script), ...args.map(String)];
  const { status, stdout, error } = spawnSync(python, given, { encoding: 'utf8', timeout: 300_000 });
  if (status === 3) return { why: 'not found' };
  if (status !== 0) return { why: error ? 'no interpreter' : 'did not end' };
  return { found: JSON.parse(stdout.slice(stdout.indexOf('{'))) as T };
};

/** `native/` lies beside `src/`, and beside `dist/` of a build. */
const NATIVE = join(dirname(fileURLToPath(import.meta.url)), '..', 'native');
