import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from '@filigree/ir';
import { storageOf } from '@filigree/sparse/fields';
import { program, readBytesSync, type Example } from 'filigree';
import { handOut, programOptions } from '../../fields/compile-options.js';
import { lifeBytes } from '../../fields/life/bytes.js';
import { filmPage, type Frame } from '../../fields/life/film.js';
import { COLUMNS, lifeOf, ROWS } from '../../fields/life/kernels.js';
import { readPattern, type Pattern } from '../../fields/life/pattern.js';
import { plainStep, plainWork, type PlainLife } from '../../fields/life/plain-life.js';
import { lifeRule } from '../../fields/life/rule.js';
import { linesOfCode } from '../../fields/lines-of-code.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';
import { interleavedMedians } from '../run-program.js';

/** The Game of Life on cells of one bit, which are computed a word at a time. */
export const gameOfLife: Example = {
  name: 'game-of-life',
  rows: ['TA5.5', 'TA5.6'],
  ...described(
    'quant',
    'the Game of Life on cells of one bit, whole words of them computed at once',
    'pattern=soup|FILE.rle|FILE.mc, rule=B3/S23, size=CELLS, steps=N, quant=on|off, storage=sparse|dense, out=DIR',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['pattern', 'rule', 'size', 'steps', 'quant', 'storage', 'out']);
    const file = args.text('pattern', 'soup');
    const pattern = file === 'soup' ? undefined : readPattern(new TextDecoder().decode(readBytesSync(file)));
    const rule = lifeRule(args.text('rule', pattern?.rule ?? 'B3/S23'));
    const steps = args.integer('steps', 64, 0, 2 ** 30);
    const size = args.integer('size', pattern ? roomFor(pattern, steps) : 512, COLUMNS, 2 ** 17);
    if (size % COLUMNS !== 0)
      fail('example/argument', `'size' is '${size}'`, { remedy: `give a multiple of ${COLUMNS}` });
    const quant = args.word('quant', 'on', ['on', 'off']) === 'on';
    const sparse = args.word('storage', pattern ? 'sparse' : 'dense', ['sparse', 'dense']) === 'sparse';
    const first = pattern ? placed(pattern, size) : soup(size, options.seed);
    const life = lifeOf(size, { quant, sparse }, rule);
    options.progress(0, 'compile');
    const begin = performance.now();
    const sim = await program({ ...life, ...programOptions(options) });
    const compiled = performance.now();
    try {
      handOut(options, 'game-of-life', sim);
      options.progress(0.2, 'run');
      const now = sim.field(life.fields.now);
      for (const cell of first) now.set([Math.floor(cell / size), cell % size], 1);
      const { there, back, grow } = sim.run;
      let generation = 0;
      const advance = (to: number): void => {
        for (; generation < to; generation++) {
          if (sparse && generation % ROWS === 0) grow();
          if (generation % 2 === 0) there();
          else back();
        }
      };
      const living = (): number[] => {
        const cells: number[] = [];
        const field = sim.field(generation % 2 === 0 ? life.fields.now : life.fields.next);
        for (const [[y, x], alive] of field.entries()) if (alive === 1) cells.push(y * size + x);
        return cells;
      };
      let plain: PlainLife = { size, living: new Set(first) };
      const frames: Frame[] = [];
      let work = 0;
      let checked = 0;
      let wrong = 0;
      for (const to of stops(steps, options.args.out === undefined ? 4 : 120)) {
        options.progress(0.2 + (0.6 * to) / Math.max(1, steps), `generation ${to}`);
        advance(to);
        const found = living();
        if (options.args.out !== undefined)
          frames.push({ generation: to, cells: found.map((c) => [Math.floor(c / size), c % size]) });
        for (; checked < to && work < MOST_WORK; checked++) {
          work += plainWork(plain);
          plain = plainStep(plain, rule);
        }
        if (checked === to) wrong += difference(found, plain.living);
      }
      const population = living().length;
      options.progress(0.8, 'time');
      const [run] = interleavedMedians([() => (there(), back())], 5);
      options.progress(1, 'done');
      return {
        metrics: {
          size,
          steps,
          population,
          quant: quant ? 'on' : 'off',
          storage: sparse ? 'sparse' : 'dense',
          bytesPerElement: lifeBytes(sim.storage) / size ** 2 / 2,
          fullBytesPerElement:
            lifeBytes(storageOf(lifeOf(size, { quant: false, sparse }, rule).layout)) / size ** 2 / 2,
          checkedSteps: checked,
          wrong,
          cellsPerNs: size ** 2 / (1e6 * (run / 2)),
          ...lineCounts(),
          ...(options.args.out === undefined ? {} : { film: write(options.args.out, frames) }),
        },
        check: { passed: wrong === 0 },
        ms: { compile: compiled - begin, run: run / 2 },
      };
    } finally {
      sim.dispose();
    }
  },
};

/** Cells that the plain program looks at, before it stops; what follows is not checked. */
const MOST_WORK = 2e7;

/** Generations at which the result is looked at: so many at most, and the last. */
const stops = (steps: number, most: number): readonly number[] => {
  const every = Math.max(1, Math.ceil(steps / most));
  const list = Array.from({ length: Math.ceil(steps / every) }, (_, n) => n * every);
  return [...list, steps];
};

/** A square in which a pattern can grow for so many steps as if there were no end, or a large one. */
const roomFor = ({ rows, columns }: Pattern, steps: number): number =>
  COLUMNS *
  Math.max(1, Math.ceil(Math.min(Math.max(rows, columns) + 2 * steps, Math.max(rows, columns) + 2 ** 14) / COLUMNS));

/** A pattern in the middle. Error: `life/size`. */
const placed = ({ rows, columns, cells }: Pattern, size: number): readonly number[] => {
  if (rows > size || columns > size)
    fail('life/size', `the pattern has ${rows} × ${columns} cells, the square ${size} × ${size}`, {
      remedy: 'give a larger size',
    });
  const [top, left] = [rows, columns].map((n) => Math.floor((size - n) / 2));
  return Array.from({ length: cells.length / 2 }, (_, n) => (top + cells[2 * n]) * size + left + cells[2 * n + 1]);
};

/** A third of the cells, by chance. */
const soup = (size: number, seed: number): readonly number[] => {
  const cells: number[] = [];
  let state = (seed * 2654435761 + 1) >>> 0;
  for (let n = 0; n < size ** 2; n++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state = (state ^ (state << 5)) >>> 0;
    if (state % 3 === 0) cells.push(n);
  }
  return cells;
};

const difference = (found: readonly number[], expected: ReadonlySet<number>): number => {
  const missing = found.filter((c) => !expected.has(c)).length;
  return missing + (expected.size - (found.length - missing));
};

const write = (out: string, frames: readonly Frame[]): string => {
  mkdirSync(out, { recursive: true });
  const path = join(out, 'game-of-life.html');
  writeFileSync(path, filmPage('Game of Life', frames));
  return path;
};

/** Lines of the program, and those that its formats change. */
const lineCounts = (): { readonly lines: number; readonly linesChanged: number } | undefined => {
  const read = (name: string): string | undefined => {
    const file = fileURLToPath(new URL(`../../../src/fields/life/${name}.ts`, import.meta.url));
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  const texts = ['kernels', 'rule', 'pattern', 'film'].map(read);
  const [kernels] = texts;
  if (kernels === undefined || texts.some((t) => t === undefined)) return undefined;
  const changed = kernels.split('\n').filter((line) => /^ {2}const (bit|on) =/.test(line));
  return { lines: linesOfCode(texts.join('\n')), linesChanged: linesOfCode(changed.join('\n')) };
};
