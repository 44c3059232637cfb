import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What differs between two folders, one line a file: gone, new, or the first line that changed.
 * @param {string} before
 * @param {string} after
 * @returns {string[]}
 */
export const differences = (before, after) => {
  const old = filesOf(before);
  const now = filesOf(after);
  return [...new Set([...old, ...now])].sort().flatMap((file) => {
    if (!now.includes(file)) return [`- ${file} is no longer emitted`];
    if (!old.includes(file)) return [`+ ${file} is new`];
    return changed(file, readFileSync(join(before, file)), readFileSync(join(after, file)));
  });
};

/** @type {(file: string, before: Buffer, after: Buffer) => string[]} */
const changed = (file, before, after) => {
  if (before.equals(after)) return [];
  const old = before.toString('utf8').split('\n');
  const now = after.toString('utf8').split('\n');
  const at = now.findIndex((line, i) => line !== old[i]);
  const line = at < 0 ? now.length : at;
  return [`~ ${file}:${line + 1}\n  - ${old[line] ?? '(end of file)'}\n  + ${now[line] ?? '(end of file)'}`];
};

/** Paths of all files below a folder, relative to it. @param {string} folder */
export const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(folder, file)).isFile());
