import { program, quantSearch, quantSearchText, type Example, type FieldProgramOptions } from 'filigree';
import { programOptions } from '../../fields/compile-options.js';
import { atMost } from '../../fields/finding.js';
import { mpmCase } from '../../fields/quant-search/mpm-case.js';
import type { Ran } from '../../fields/quant-search/search-case.js';
import { smokeCase } from '../../fields/quant-search/smoke-case.js';
import { distance } from '../../fields/smoke/check.js';
import { argumentsOf } from '../arguments.js';
import { described } from '../described.js';

/** The layout with the fewest bytes for a simulation, at the error of one that was chosen by hand or at another. */
export const quantSearchExample: Example = {
  name: 'quant-search',
  rows: ['TA5.7'],
  ...described(
    'quant',
    'a search finds how few bits a simulation needs for an error, and beats formats chosen by hand',
    'case=smoke|mpm, size=…, steps=…, dim=2|3 (smoke), error=BOUND (default that of the formats by hand)',
  ),
  run: async (options) => {
    const args = argumentsOf(options.args, ['case', 'size', 'steps', 'dim', 'error']);
    const which = args.word('case', 'smoke', ['smoke', 'mpm']);
    const isSmoke = which === 'smoke';
    const dim = Number(args.word('dim', isSmoke ? '2' : '3', isSmoke ? ['2', '3'] : ['3'])) as 2 | 3;
    const size = 8 * 2 ** Math.ceil(Math.log2(args.integer('size', 16, 8, 512) / 8));
    const steps = args.integer('steps', isSmoke ? 4 : 20, 1, 10_000);
    const begin = performance.now();
    const one = isSmoke ? smokeCase(options, dim, size, steps) : mpmCase(options, size, steps);
    options.progress(0, 'formats by hand');
    const [exact, byHand] = [await one.full(), await one.byHand()];
    const handError = farthest(byHand, exact);
    const error = Number(args.text('error', String(handError)));
    let tried = 0;
    const prepared = performance.now();
    options.progress(0.1, 'search');
    const found = await quantSearch({
      ...one.search,
      error,
      onTrial: () => options.progress(0.3 + 0.6 * (++tried / TRIALS), `${tried} layouts tried`),
      trials: TRIALS,
    });
    const searched = performance.now();
    options.progress(0.9, 'check');
    const { best, curve } = found;
    const again = await ranAgain({ ...one.search, layout: best.layout }, one, options);
    options.warn?.([{ severity: 'note', code: 'search/found', message: `${which}\n${quantSearchText(found)}` }]);
    const findings = [
      atMost('error', farthest(again, exact), error * (1 + 1e-3)),
      ...(args.text('error', '') === ''
        ? [atMost('bytes beside the formats by hand', best.bytes / byHand.bytes, 1)]
        : []),
    ];
    options.progress(1, 'done');
    return {
      metrics: {
        case: which,
        elements: one.elements,
        steps,
        bound: error,
        handError,
        bytesPerElement: best.bytes / one.elements,
        handBytesPerElement: byHand.bytes / one.elements,
        fullBytesPerElement: found.fullBytes / one.elements,
        tried: curve.length,
        derivatives: found.refused ? 'differences' : 'tangents',
        curve: curve.map((t) => `${(t.bytes / one.elements).toFixed(1)}:${t.error.toExponential(1)}`).join(' '),
        layout: best.text.replace(/\s+/g, ' '),
        ...Object.fromEntries(findings.map((f) => [f.name, f.value])),
      },
      check: { passed: findings.every((f) => f.passed) },
      ms: { prepare: prepared - begin, search: searched - prepared },
    };
  },
};

type Case = ReturnType<typeof smokeCase>;

/** A program with the layout that was found, made and run apart from the search. */
const ranAgain = async (
  { layout, kernels, inputs, launch }: Case['search'],
  { found }: Case,
  options: Parameters<typeof programOptions>[0],
): Promise<Ran> => {
  const sim = await program({ layout, kernels, ...programOptions(options) } as FieldProgramOptions);
  try {
    (inputs as (s: typeof sim) => void)(sim);
    (launch as (s: typeof sim) => void)(sim);
    return found(sim);
  } finally {
    sim.dispose();
  }
};

/** What one output is off at most. */
const farthest = (some: Ran, exact: Ran): number =>
  Math.max(...some.outputs.map((values, k) => distance(values, exact.outputs[k])));

const TRIALS = 24;
