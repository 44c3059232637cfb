import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dense, i, layout, storageOf, type Placeable, type Storage } from '@filigree/sparse/fields';
import { program, type Example } from 'filigree';
import { linesOfCode } from '../../fields/lines-of-code.js';
import { handOut, programOptions } from '../../fields/compile-options.js';
import type { QuantLoop } from '../../fields/quant/quant-loop.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';
import { interleavedMedians } from '../run-program.js';

/** One of the loops of Table 5.1 of the thesis, over fields of few bits or of native types. */
export const quantLoopExample = ({ name, source, shows, published, of }: QuantLoop): Example => ({
  name,
  rows: ['TA5.4'],
  ...described('quant', shows, `size=ELEMENTS (${published} for the published timing), quant=on|off`),
  run: async (options) => {
    const args = argumentsOf(options.args, ['size', 'quant']);
    const n = args.integer('size', 2 ** 22, 1, 2 ** 30);
    const isOn = args.word('quant', 'on', ['on', 'off']) === 'on';
    const { fields, off, on, fill, loop, wrong } = of(n);
    const placed = (what: readonly Placeable[]) => layout(dense(i, n).place(...what));
    options.progress(0, 'compile');
    const begin = performance.now();
    const sim = await program({
      layout: placed(isOn ? on : off),
      kernels: { fill, loop, wrong },
      fields,
      ...programOptions(options),
    });
    const compiled = performance.now();
    try {
      handOut(options, name, sim);
      options.progress(0.3, 'run');
      sim.run.fill();
      sim.run.loop();
      const misses = sim.run.wrong();
      options.progress(0.6, 'time');
      const [run] = interleavedMedians([() => void sim.run.loop()], 5);
      options.progress(1, 'done');
      return {
        metrics: {
          elements: n,
          quant: isOn ? 'on' : 'off',
          bytesPerElement: bytesOf(sim.storage) / n,
          fullBytesPerElement: bytesOf(storageOf(placed(off))) / n,
          wrong: misses,
          nsPerElement: (1e6 * run) / n,
          ...lineCounts(source),
        },
        check: { passed: misses === 0 },
        ms: { compile: compiled - begin, run },
      };
    } finally {
      sim.dispose();
    }
  },
});

const bytesOf = ({ nodes }: Storage): number => nodes[1].containerBytes;

/** Lines of a program, and those of its layout that the formats change, where the source is at hand. Imports do not count as changed. */
const lineCounts = (source: string): { readonly lines: number; readonly linesChanged: number } | undefined => {
  const file = fileURLToPath(new URL(`../../../src/fields/quant/${source}`, import.meta.url));
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const changed = text.slice(text.indexOf(' on: '), text.indexOf(' fill: '));
  return { lines: linesOfCode(text), linesChanged: linesOfCode(changed) };
};
