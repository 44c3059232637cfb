import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layoutText, program, type Example, type ExampleOptions } from 'filigree';
import { imagePng } from '../../draw/index.js';
import { structuresPicture } from '../../fields/structures/picture.js';
import {
  expectedPairs,
  STRUCTURE_NAMES,
  structures,
  type Structure,
  type StructureName,
} from '../../fields/structures/structures.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';

/** Five data structures for sparse grids (Fig. 2-6 of the thesis), each with the same particles in it. */
export const structuresExample: Example = {
  name: 'structures',
  rows: ['TA2.2'],
  ...described(
    'fields',
    'the same particles in five data structures for sparse grids',
    `size=PARTICLES, layout=${STRUCTURE_NAMES.join('|')}|all, out=DIR`,
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['size', 'layout', 'out']);
    const which = args.word('layout', 'all', ['all', ...STRUCTURE_NAMES]);
    const n = args.integer('size', 512, 1, 512);
    const picture = join(args.text('out', 'out'), 'structures.png');
    const names = which === 'all' ? STRUCTURE_NAMES : [which];
    const expected = expectedPairs(n);
    const found: Counted[] = [];
    for (const [at, name] of names.entries()) {
      options.progress(at / names.length, name);
      found.push(await counted(name, structures()[name], n, options));
    }
    options.progress(1, 'done');
    mkdirSync(args.text('out', 'out'), { recursive: true });
    writeFileSync(picture, imagePng(structuresPicture(found.map((f) => f.elements))));
    return {
      metrics: {
        pairs: expected,
        ...Object.fromEntries(
          found.flatMap((f): [string, number | string][] => [
            [`${f.name} pairs`, f.pairs],
            [`${f.name} active elements`, f.elements.length],
            [`${f.name} tree`, f.tree],
          ]),
        ),
        picture,
      },
      check: { passed: found.every((f) => f.pairs === expected) },
      ms: Object.fromEntries(
        found.flatMap((f) => [
          [`${f.name} compile`, f.compileMs],
          [`${f.name} run`, f.runMs],
        ]),
      ),
    };
  },
};

interface Counted {
  readonly name: StructureName;
  readonly tree: string;
  readonly pairs: number;
  readonly elements: readonly (readonly [readonly number[], number])[];
  readonly compileMs: number;
  readonly runMs: number;
}

const counted = async (
  name: StructureName,
  { layout, kernels, counted, isList }: Structure,
  n: number,
  { backend, threads, ablate, emit }: ExampleOptions,
): Promise<Counted> => {
  const begin = performance.now();
  const sim = await program({ layout, kernels, threads, ablate, ...(backend !== undefined && { backend }) });
  const ready = performance.now();
  emit?.(name, sim.instance.sources);
  const pairs = (sim.run.pairs as (...args: readonly number[]) => number)(n, 0);
  const done = performance.now();
  const elements = [...sim.field(counted).entries()].map(([at, x]) => [at, isList ? 1 : x] as const);
  sim.dispose();
  return { name, tree: layoutText(layout), pairs, elements, compileMs: ready - begin, runMs: done - ready };
};
