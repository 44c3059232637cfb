import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { cachedFile, contentHash, findCached } from '../cache/artifact-cache.js';
import { cpuFingerprint } from './cpu.js';
import { runProcess } from './process.js';

/** A compiler that is looked at, and how long it may take. */
export interface Tried {
  readonly path: string;
  readonly args: readonly string[];
  readonly limitMs: number;
  readonly cache: string | false | undefined;
}

/**
 * What a compiler was found to be on this machine before; the machine is part of the key, since folders may be shared by several. What it lacks
 * may be installed later, beside it: that it lacks something holds as long as the folders are as they were in which it looks for libraries.
 */
export const remembered = async <T extends Able>(
  key: string,
  { path, args, limitMs, cache }: Tried,
  make: () => Promise<T | string>,
): Promise<T | string> => {
  const machine = [key, hostname(), await cpuFingerprint()];
  const whole = contentHash('toolchain', ...machine);
  const searched = contentHash('toolchain-folders', ...machine);
  const lacking = (folders: readonly string[]): string =>
    contentHash('toolchain-lacking', ...machine, ...folders.map((f) => `${f} ${ageOf(f)}`));
  const found = read<T>(whole, cache);
  if (found) return found;
  const folders = read<readonly string[]>(searched, cache);
  const poor = folders && read<T>(lacking(folders), cache);
  if (poor) return poor;
  const made = await make();
  /* Why one is not usable may be a matter of the moment. */
  if (cache === false || typeof made === 'string') return made;
  if (made.openmp && made.target.length > 0) await keep(whole, cache, made);
  else {
    const now = folders ?? (await librariesOf(path, args, limitMs));
    if (!folders) await keep(searched, cache, now);
    await keep(lacking(now), cache, made);
  }
  return made;
};

/** What a compiler can do. */
interface Able {
  readonly openmp: boolean;
  readonly target: readonly string[];
}

const FILE = 'toolchain.json';

const read = <A>(key: string, cache: Tried['cache']): A | undefined => {
  const found = findCached({ cache, key, file: FILE });
  return found?.whole ? (JSON.parse(readFileSync(found.path, 'utf8')) as A) : undefined;
};

/** Where nothing can be kept, it is found out again. */
const keep = async (key: string, cache: string | undefined, value: unknown): Promise<void> => {
  const build = (path: string): Promise<void> => writeFile(path, JSON.stringify(value));
  await cachedFile({ cache, key, file: FILE, build }).catch(() => undefined);
};

/** Where a compiler looks for libraries. */
const librariesOf = async (path: string, args: readonly string[], limitMs: number): Promise<readonly string[]> => {
  const { stdout } = await runProcess(path, [...args, '-print-search-dirs'], { limitMs });
  return /^libraries: =?(.*)$/m.exec(stdout)?.[1]?.split(':') ?? [];
};

const ageOf = (path: string): string => {
  try {
    return String(statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 'none');
  } catch {
    return 'none';
  }
};
