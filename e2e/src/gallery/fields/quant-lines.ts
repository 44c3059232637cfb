import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { linesOfCode } from '../../fields/lines-of-code.js';

/**
 * Lines of a program in files of a folder of `fields`, and those of them that say what is stored in few bits: what stands in a
 * file from one text up to another. Nothing where the sources are not at hand.
 */
export const quantLines = (
  folder: string,
  program: readonly string[],
  { file, from, to }: { readonly file: string; readonly from: string; readonly to: string },
): { readonly lines: number; readonly linesChanged: number } | undefined => {
  const place = (name: string): string =>
    fileURLToPath(new URL(`../../../src/fields/${folder}/${name}`, import.meta.url));
  if (![...program, file].every((name) => existsSync(place(name)))) return undefined;
  const text = readFileSync(place(file), 'utf8');
  const begin = text.indexOf(from);
  const changed = linesOfCode(text.slice(begin, text.indexOf(to, begin)));
  const others = program.filter((name) => name !== file).map((name) => linesOfCode(readFileSync(place(name), 'utf8')));
  const whole = program.includes(file) ? linesOfCode(text) : changed;
  return { lines: others.reduce((sum, lines) => sum + lines, whole), linesChanged: changed };
};
