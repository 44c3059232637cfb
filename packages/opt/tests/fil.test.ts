import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { blessFilTest, coreDialects, formatDiagnostic, parseFilTest, runFilTest } from '@filigree/ir';
import { corePasses } from '@filigree/opt';

const folder = new URL('./fil/', import.meta.url);

/** Each file says which passes to run and what must come of it; `BLESS=1` writes what does come of it, to be read. */
describe('golden text', () => {
  for (const file of readdirSync(folder).sort()) {
    it(file, () => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const test = parseFilTest(text, file);
      if (E.isLeft(test)) throw new Error(test.left.map((d) => formatDiagnostic(d, text)).join('\n'));
      const { problems, output } = runFilTest(test.right, { dialects: coreDialects, passes: corePasses });
      if (process.env['BLESS'] === '1' && output !== undefined)
        writeFileSync(new URL(file, folder), blessFilTest(text, output));
      else expect(problems.map((d) => formatDiagnostic(d, text))).toEqual([]);
    });
  }
});
