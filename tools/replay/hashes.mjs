import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { filesOf } from './differences.mjs';

/** @typedef {Record<string, string>} Hashes hashes of contents, by paths with slashes */

/**
 * The hash of each file below a folder.
 * @param {string} folder
 * @returns {Hashes}
 */
export const hashesOf = (folder) =>
  Object.fromEntries(
    filesOf(folder)
      .map((file) => [file.replaceAll(sep, '/'), hash(readFileSync(join(folder, file)))])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );

/** @param {Buffer} contents */
const hash = (contents) => createHash('sha256').update(contents).digest('hex').slice(0, 16);

/**
 * What differs, one line a file.
 * @param {Hashes} expected
 * @param {Hashes} found
 * @returns {string[]}
 */
export const hashDifferences = (expected, found) =>
  [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort().flatMap((file) => {
    if (!(file in found)) return [`- ${file} is no longer generated`];
    if (!(file in expected)) return [`+ ${file} is new`];
    return expected[file] === found[file] ? [] : [`~ ${file} changed`];
  });
