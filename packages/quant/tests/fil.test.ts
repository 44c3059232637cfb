import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  blessFilTest,
  coreDialects,
  formatDiagnostic,
  parseFilTest,
  parseModule,
  runFilTest,
  type Diagnostics,
} from '@filigree/ir';
import { corePassesOver } from '@filigree/opt';
import { quantFormats, quantPassesByName } from '@filigree/quant';
import { fieldDialect, layoutOf, snodeDialect, storageOf } from '@filigree/sparse/fields';
import { fieldPasses } from '@filigree/sparse/lowering';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

const folder = new URL('./fil/', import.meta.url);

/** Each file says which passes to run and what must come of it; `BLESS=1` writes what does come of it, to be read. */
describe('golden text of passes on quantised fields', () => {
  for (const file of readdirSync(folder).sort()) {
    it(file, () => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const right = <A>(e: E.Either<Diagnostics, A>): A => {
        if (E.isLeft(e)) throw new Error(e.left.map((d) => formatDiagnostic(d, text)).join('\n'));
        return e.right;
      };
      const test = right(parseFilTest(text, file));
      const layout = layoutOf(right(parseModule(test.source)).layout!, quantFormats);
      const storage = storageOf(layout, { budget: 1 << 12 });
      const dialects = [...coreDialects, fieldDialect(layout), snodeDialect(layout)];
      const { problems, output } = runFilTest(test, {
        dialects,
        passes: { ...corePassesOver(dialects), ...fieldPasses(storage), ...quantPassesByName(storage) },
      });
      const isBlessing = process.env['BLESS'] === '1' && output !== undefined;
      if (isBlessing) writeFileSync(new URL(file, folder), blessFilTest(text, output));
      expect(isBlessing ? [] : problems.map((d) => formatDiagnostic(d, text))).toEqual([]);
    });
  }
});
