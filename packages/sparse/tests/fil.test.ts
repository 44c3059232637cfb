import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import {
  blessFilTest,
  coreDialects,
  formatDiagnostic,
  interpret,
  parseFilTest,
  parseModule,
  runFilTest,
  type FilExecute,
  type Module,
} from '@filigree/ir';
import { corePassesOver } from '@filigree/opt';
import {
  arenaName,
  fieldDialect,
  initializeArena,
  layoutOf,
  snodeDialect,
  storageOf,
  type Storage,
} from '@filigree/sparse/fields';
import { fieldPasses } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import { right } from './support.js';

const folder = new URL('./fil/', import.meta.url);

/** With ops on fields a module runs on a store of maps, and lowered on an arena. */
const executeOn =
  (storage: Storage): FilExecute =>
  (module, kernel, args, buffers) => {
    const dialects = module.layout
      ? [...coreDialects, fieldDialect(storage.layout, new FieldStore(storage.layout))]
      : coreDialects;
    const words = buffers[arenaName(storage.memory, 'i32')];
    if (!module.layout) initializeArena(storage, new Uint8Array(words.buffer));
    return interpret(module, dialects, buffers, kernel === undefined ? {} : { kernel, args });
  };

const layoutIn = (module: Module) => layoutOf(module.layout!);

/** Each file says which passes to run and what must come of it; `BLESS=1` writes what does come of it, to be read. */
describe('golden text of passes on fields', () => {
  for (const file of readdirSync(folder).sort()) {
    it(file, () => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const test = parseFilTest(text, file);
      if (E.isLeft(test)) throw new Error(test.left.map((d) => formatDiagnostic(d, text)).join('\n'));
      const layout = layoutIn(right(parseModule(test.right.source)));
      const storage = storageOf(layout, { budget: 1 << 12 });
      const dialects = [...coreDialects, fieldDialect(layout), snodeDialect(layout)];
      const { problems, output } = runFilTest(test.right, {
        dialects,
        passes: { ...corePassesOver(dialects), ...fieldPasses(storage) },
        execute: executeOn(storage),
      });
      if (process.env['BLESS'] === '1' && output !== undefined)
        writeFileSync(new URL(file, folder), blessFilTest(text, output));
      else expect(problems.map((d) => formatDiagnostic(d, text))).toEqual([]);
    });
  }
});
