import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imagePng, type Image } from '../../draw/index.js';
import type { Finding } from '../../fields/finding.js';
import { linesOfCode } from '../../fields/lines-of-code.js';
import { NATIVE_FIELDS } from '../../fields/native/library.js';

/** Writes a picture into a folder, and gives its path. */
export const writePicture = (folder: string, name: string, image: Image): string => {
  const file = join(folder, `${name}.png`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, imagePng(image));
  return file;
};

/** Lines of our kernels and of the C++ by hand, where the sources are at hand. */
export const lineCounts = (name: string): { readonly lines: number; readonly linesByHand: number } | undefined => {
  try {
    const ours = new URL(`../../../src/fields/${name}/kernels.ts`, import.meta.url);
    return {
      lines: linesOfCode(readFileSync(fileURLToPath(ours), 'utf8')),
      linesByHand: linesOfCode(readFileSync(join(NATIVE_FIELDS, `${name}.cpp`), 'utf8')),
    };
  } catch {
    return undefined;
  }
};

/** What checks found, as metrics: the measured value by what it is. */
export const measured = (findings: readonly Finding[]): Readonly<Record<string, number>> =>
  Object.fromEntries(findings.map((f) => [f.name, f.value]));
