import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * The shortest circle that an import of `to` by `from` closes, from `from` to `from`; undefined where it closes none.
 * @type {(from: string, to: string) => readonly string[] | undefined}
 */
export const circleOf = (from, to) => {
  /* Ways that begin with the import, shorter ones first. */
  const ways = [[from, to]];
  const reached = new Set([to]);
  for (const way of ways) {
    const file = /** @type {string} */ (way.at(-1));
    if (file === from) return way;
    for (const next of importsOf(file)) {
      if (reached.has(next)) continue;
      reached.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
};

/** The file that a relative specifier names: `./a.js` is written for `a.ts`. @type {(file: string, specifier: string) => string} */
export const fileOf = (file, specifier) => resolve(dirname(file), specifier).replace(/\.js$/, '.ts');

/**
 * The files that a file imports by relative path. Each is read once a process and only looked over: to parse all sources again
 * would cost more than all other rules together.
 * @type {(file: string) => readonly string[]}
 */
const importsOf = (file) => {
  const known = imports.get(file);
  if (known) return known;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const found = [...text.matchAll(RELATIVE)].map((match) => fileOf(file, match[1] ?? match[2] ?? match[3] ?? ''));
  imports.set(file, found);
  return found;
};

/** @type {Map<string, readonly string[]>} */
const imports = new Map();

/* Declarations begin a line, so that one in a comment is none; `import('…')` may stand anywhere else. */
const RELATIVE =
  /^(?:import|export)\s[\w$\s{},*]*?\bfrom\s*['"](\.[^'"]*)['"]|^import\s*['"](\.[^'"]*)['"]|^(?!\s*[*/]).*?\bimport\(\s*['"](\.[^'"]*)['"]/gm;
