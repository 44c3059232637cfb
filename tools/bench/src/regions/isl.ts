import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCompiler } from '../native/toolchain.js';

/** isl, ready to evaluate scripts. */
export interface Isl {
  /** Evaluates a script; undefined where it took more than the limit, in seconds, or more memory than there is. */
  readonly run: (script: string, seconds: number) => IslResult | undefined;
  readonly close: () => void;
}

export interface IslResult {
  /** Of the first time, and the median of all. */
  readonly first: number;
  readonly ms: number;
  /** Points of the sets that were to be counted. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Builds `native/regions_isl.c`, or says why there is no isl. */
export const findIsl = (): Isl | string => {
  const compiler = findCompiler();
  if ('missing' in compiler) return compiler.missing;
  const folder = mkdtempSync(join(tmpdir(), 'filigree-isl-'));
  const program = join(folder, 'regions_isl');
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  const built = spawnSync(compiler.found.command, ['-x', 'c', '-O2', SOURCE, '-o', program, '-lisl'], {
    encoding: 'utf8',
  });
  if (built.status !== 0 || !existsSync(program)) {
    close();
    return `isl is not installed (apt: libisl-dev): ${built.stderr.split('\n').find((l) => /error/.test(l)) ?? 'it does not build'}`;
  }
  return {
    close,
    run: (script, seconds) => {
      const done = spawnSync(program, { input: script, encoding: 'utf8', timeout: seconds * 1000, maxBuffer: 2 ** 26 });
      const first = /^first ([\d.]+)$/m.exec(done.stdout ?? '');
      if (first === null) return undefined;
      /* Where there was time for one only. */
      const ms = /^ms ([\d.]+)$/m.exec(done.stdout) ?? first;
      const counts = [...done.stdout.matchAll(/^count (\w+) (\d+)$/gm)].map(
        ([, name, n]) => [name, Number(n)] as const,
      );
      return { first: Number(first[1]), ms: Number(ms[1]), counts: Object.fromEntries(counts) };
    },
  };
};

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'native', 'regions_isl.c');
