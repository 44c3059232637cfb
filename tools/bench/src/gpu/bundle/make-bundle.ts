import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { fail } from '@filigree/ir';
import type { LeftOut } from './bundled-program.js';
import { type Choice, bundledPrograms } from './programs.js';
import { writeBundle } from './write-bundle.js';

/** Makes the folder that a machine with a GPU runs. Error: `gpu/bundle` where something is there already. */
export const makeBundle = async (
  folder: string,
  choice: Choice,
): Promise<{ readonly count: number; readonly leftOut: readonly LeftOut[] }> => {
  if (existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0))
    fail('gpu/bundle', `${folder} exists and is not an empty folder`, {
      remedy: 'name a new folder, or empty this one',
    });
  mkdirSync(folder, { recursive: true });
  return writeBundle(folder, commitHere(), bundledPrograms(choice));
};

/** The commit whose kernels these are, with a word on changes that are not in it. */
export const commitHere = (): string => {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    return `${git('rev-parse', '--short=12', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
  } catch {
    return 'unknown';
  }
};
