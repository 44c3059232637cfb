import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftOut } from './bundle/bundled-program.js';
import { gpuPage, pageName } from './gpu-page.js';
import { readBaselines, readResults } from './results.js';

/** Makes the page of the results that lie in a bundle. Gives its file. Errors: those of `readResults` and `readBaselines`. */
export const importResults = (bundle: string, pages: string, command: string): string => {
  const found = readResults(bundle);
  const file = join(pages, pageName(found.device));
  mkdirSync(pages, { recursive: true });
  writeFileSync(file, gpuPage(found, readBaselines(bundle), leftOutOf(bundle), command));
  return file;
};

/* As the bundle says it: a name and a reason on each line. */
const leftOutOf = (bundle: string): readonly LeftOut[] => {
  const file = join(bundle, 'left-out.txt');
  if (!existsSync(file)) return [];
  return [...readFileSync(file, 'utf8').matchAll(/^(.*?): (.*)$/gm)].map(([, name, reason]) => ({ name, reason }));
};
