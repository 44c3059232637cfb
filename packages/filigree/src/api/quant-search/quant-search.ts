import { AXIS_NAMES, checkOptions, fail, option, optionKind, type Diagnostic, type OptionSpec } from '@filigree/ir';
import type { KernelDef } from '@filigree/lang/kernels';
import {
  componentsOf,
  isPlainArray,
  storedAs,
  type AnyField,
  type FieldDecl,
  type Layout,
} from '@filigree/sparse/fields';
import type { Fields, Kernels } from '@filigree/runtime';
import { program, type FieldProgram, type FieldProgramOptions } from '../program.js';
import { cellPlans } from './cell-plans.js';
import { cellsOf, scalarsOf, storable } from './cells.js';
import {
  asItIs,
  cheapestFirst,
  floatLadders,
  integerLadder,
  isOfFloats,
  type Choice,
  type Sensitivity,
} from './formats-for.js';
import { inWords, placesFor, textFor, type Words } from './in-words.js';
import { measured } from './measured.js';
import { apart, numbersIn } from './outputs.js';
import { errorOf, type Cell, type Scheme } from './path.js';
import { fullRuns, sensitivities, type Runs } from './runs.js';
import { smallest } from './smallest.js';
import { writesOf } from './survey.js';

/** A program, what goes into it and what comes out, and how far that may be off. */
export interface QuantSearchOptions<K extends Kernels = Kernels, F extends Fields = Fields> extends Omit<
  FieldProgramOptions<K, F>,
  'differentiate' | 'tangents' | 'over' | 'queue' | 'pipeline' | 'debug' | 'losses'
> {
  /** Gives fields their first values; several where the numbers of several runs are to have room. */
  readonly inputs: Inputs<K, F> | readonly Inputs<K, F>[];
  /** Launches kernels by `sim.run`. */
  readonly launch: Inputs<K, F>;
  /** The fields in which an error is seen. */
  readonly outputs: readonly AnyField[];
  /** The most that an output may be off: the root mean square of the differences, relative to that of the output. */
  readonly error: number;
  /** The fields that may be stored in few bits; default `fields`, and all of the layout where that is left out. */
  readonly store?: readonly AnyField[];
  /** The most programs to try; default 24. */
  readonly trials?: number;
  /** Called after each program that was tried. */
  readonly onTrial?: (trial: QuantTrial) => void;
}

/** Does something with a program. */
export type Inputs<K extends Kernels = Kernels, F extends Fields = Fields> = (sim: FieldProgram<K, F>) => void;

/** A scheme that was tried. */
export interface QuantTrial {
  readonly layout: Layout;
  /** The innermost nodes with their fields, to be written in place of those that hold them now. */
  readonly text: string;
  /** Bytes of all cells in use. */
  readonly bytes: number;
  /** What the outputs were off at most, and what had been expected. */
  readonly error: number;
  readonly expected: number;
}

/** What a search found. */
export interface QuantSearchResult {
  /** The smallest scheme whose error is within the bound. */
  readonly best: QuantTrial;
  /** Bytes of the program as it was given. */
  readonly fullBytes: number;
  /** All that was tried, from few bytes to many: what bytes buy. */
  readonly curve: readonly QuantTrial[];
  /** Why it could not be told from tangents what rounding does, where differences had to tell. */
  readonly refused: Diagnostic | undefined;
}

/**
 * Searches for the layout that stores the fields of a program in the fewest bytes, with outputs within an error of what full precision gives (thesis §8, future
 * work). Ranges are those of runs. What rounding a field does to the outputs is told by derivatives; bits go where they help most. The schemes found that way are tried
 * by running them, and what is given back has been. Nothing but the layout changes.
 *
 * Errors: `search/form` where something is lacking, `search/fields`, `search/error`, `search/values` where a field holds what is no number, and those of `program`.
 */
export const quantSearch = async <const K extends Kernels, F extends Fields = Readonly<Record<string, FieldDecl>>>(
  given: QuantSearchOptions<K, F>,
): Promise<QuantSearchResult> => {
  const { inputs, launch, outputs, error, store, trials = 24, onTrial, ...options } = checked(given);
  const { layout } = options;
  const starts = (Array.isArray(inputs) ? inputs : [inputs]) as unknown as readonly Runs[];
  const fields = storable(layout, store ?? (options.fields ? Object.values(options.fields) : scalarsOf(layout)));
  for (const f of outputs) storable(layout, [f], 'an output');
  const run = launch as unknown as Runs;
  const writes = await writesOf(namedKernels(options.kernels), layout, fields, options.extensions);
  const task = { options: options as FieldProgramOptions, fields, outputs, starts, run, writes };
  const full = await fullRuns(task);
  const sensitive = await sensitivities(task, full);
  const inCells = cellsOf(layout, fields);

  /** What outputs are off with a layout, for all inputs the most, and bytes. */
  const offWith = async (made: Layout): Promise<{ readonly bytes: number; readonly errors: readonly number[] }> => {
    const sim = (await program({ ...options, layout: made } as FieldProgramOptions)) as FieldProgram;
    try {
      const fresh = sim.save();
      const errors = starts.map((start, n) => {
        if (n > 0) sim.load(fresh);
        start(sim);
        run(sim);
        return numbersIn(outputs, full.boxes[n], sim.field).map((o, k) => apart(o, full.exact[n][k]));
      });
      return { bytes: sim.bytes(), errors: outputs.map((_, k) => Math.max(...errors.map((e) => e[k]))) };
    } finally {
      sim.dispose();
    }
  };

  const tried = new Map<string, QuantTrial>();
  /** Whether a scheme was off by so much more than expected that what is expected is of no use. */
  let isSurprised = false;
  const mayTry = (): boolean => tried.size < trials && !isSurprised;
  const bestBy = (of: (field: AnyField) => Sensitivity): Promise<QuantTrial> => {
    const budget = error / Math.sqrt(Math.max(1, fields.filter(isOfFloats).length));
    const cells = inCells.map((inside): CellOf => {
      const ladders = inside.map((f) => {
        const seen = full.survey.of(f);
        return isOfFloats(f) ? cheapestFirst(floatLadders(seen, of(f)), budget) : [integerLadder(seen, outputs.length)];
      });
      const now = inside.map((f) => asItIs(f, outputs.length));
      return { fields: inside, count: full.survey.count(inside[0]), plans: cellPlans(ladders, now) };
    });
    const trialOf = async (scheme: Scheme): Promise<QuantTrial> => {
      const words = cells.map(({ plans }, n) => plans[scheme[n]].words);
      const text = words.map((w, n) => cellText(layout, inCells[n][0], textFor(w))).join('\n');
      const known = tried.get(text);
      if (known) return known;
      const made = withWords(layout, inCells, words);
      const { bytes, errors } = await offWith(made);
      const trial = { layout: made, text, bytes, error: Math.max(...errors), expected: errorOf(cells, scheme) };
      isSurprised ||= trial.error > Math.max(error, SURPRISE * trial.expected);
      tried.set(text, trial);
      onTrial?.(trial);
      return trial;
    };
    return smallest(cells, error, trialOf, mayTry);
  };

  let best = await bestBy(sensitive.of);
  if (isSurprised) {
    const found = new Map<string, Sensitivity>();
    for (const f of fields.filter(isOfFloats)) {
      const alone = (choice: Choice): Layout =>
        withWords(
          layout,
          inCells,
          inCells.map((inside) => inWords(inside.map((g) => (g === f ? choice : asItIs(g, outputs.length))))),
        );
      const off = async (choice: Choice): Promise<readonly number[]> => (await offWith(alone(choice))).errors;
      found.set(f.name, await measured(full.survey.of(f), sensitive.of(f), off));
    }
    isSurprised = false;
    best = await bestBy((f) => found.get(f.name)!);
  }
  return {
    best,
    fullBytes: full.bytes,
    curve: [...tried.values()].sort((a, b) => a.bytes - b.bytes || a.error - b.error),
    refused: sensitive.refused,
  };
};

/** What a search found as text for people: what bytes buy, and the layout to paste. */
export const quantSearchText = ({ best, fullBytes, curve, refused }: QuantSearchResult): string => {
  const row = (cells: readonly string[]): string => cells.map((c) => c.padStart(12)).join('  ');
  return [
    row(['bytes', 'times less', 'error', 'expected']),
    ...curve.map((t) =>
      row([String(t.bytes), (fullBytes / t.bytes).toFixed(2), t.error.toExponential(2), t.expected.toExponential(2)]),
    ),
    ...(refused ? ['', `by differences, since tangents are refused: ${refused.message}`] : []),
    '',
    best.text,
    '',
  ].join('\n');
};

interface CellOf extends Cell {
  readonly fields: readonly AnyField[];
}

/** What a cell holds as code: of a plain array an array for each, else all in one. */
const cellText = (layout: Layout, first: AnyField, lines: readonly string[]): string => {
  const { path } = layout.fields.get(componentsOf(first)[0].name)!;
  const node = layout.nodes[path[path.length - 2]];
  const axes = node.axes.map((a) => AXIS_NAMES[a]).join('');
  const extents = node.axes.map((a) => node.extents[a]);
  const made = `${node.kind}(${axes}, ${extents.length === 1 ? extents[0] : `[${extents.join(', ')}]`})`;
  if (isPlainArray(layout, node)) return lines.map((line) => `${made}.place(${line}),`).join('\n');
  const decorators = (['pointer', 'bitmasked', 'morton'] as const).filter((d) => node[d]).map((d) => `.${d}()`);
  return `${made}${decorators.join('')}.place(\n${lines.map((line) => `  ${line},\n`).join('')}),`;
};

const namedKernels = (kernels: Kernels): Readonly<Record<string, KernelDef>> =>
  Object.fromEntries(
    Object.entries(kernels).flatMap(([name, one]) =>
      Array.isArray(one)
        ? one.map((def: KernelDef, n) => [`${name} ${n}`, def] as const)
        : [[name, one as KernelDef] as const],
    ),
  );

/** A layout with the fields of its cells in words. */
const withWords = (layout: Layout, cells: readonly (readonly AnyField[])[], words: readonly Words[]): Layout =>
  storedAs(layout, (inside) => {
    const n = cells.findIndex(([first]) => inside.includes(componentsOf(first)[0]));
    if (n < 0) return inside;
    const ours = new Set(cells[n].flatMap((f) => componentsOf(f)));
    return [...placesFor(words[n]), ...inside.filter((f) => !ours.has(f))];
  });

/** How many times what was expected an error may be. */
const SURPRISE = 4;

const checked = <K extends Kernels, F extends Fields>(given: QuantSearchOptions<K, F>): QuantSearchOptions<K, F> => {
  const lacking = NEEDED.find((name) => (given as Partial<QuantSearchOptions> | undefined)?.[name] === undefined);
  if (lacking !== undefined)
    fail('search/form', `a search has no ${lacking}`, {
      remedy: 'give it, as in quantSearch({ layout, kernels, inputs, launch, outputs: [x], error: 0.01 })',
    });
  const { layout, kernels, fields, inputs, launch, outputs, error, store, trials, onTrial, extensions, ...rest } =
    given;
  checkOptions(
    'quantSearch',
    { layout, kernels, fields, inputs, launch, outputs, error, store, trials, onTrial, extensions },
    spec,
  );
  if (!(error > 0))
    fail('search/error', `an error of ${String(error)} leaves no room`, {
      remedy: 'give a number above 0, such as 0.01',
    });
  if (outputs.length === 0)
    fail('search/fields', 'there are no outputs, so nothing could be off', { remedy: 'name the fields that matter' });
  return { ...rest, ...given };
};

/** What no search is without. */
const NEEDED = ['layout', 'kernels', 'inputs', 'launch', 'outputs', 'error'] as const;

const spec: OptionSpec<
  Pick<
    QuantSearchOptions,
    | 'layout'
    | 'kernels'
    | 'fields'
    | 'inputs'
    | 'launch'
    | 'outputs'
    | 'error'
    | 'store'
    | 'trials'
    | 'onTrial'
    | 'extensions'
  >
> = {
  layout: option.object('what layout() gives', 'fields'),
  kernels: option.object('kernels by name'),
  fields: option.object('fields by name'),
  inputs: optionKind('a function, or a list of functions', (x) => {
    const starts = Array.isArray(x) ? x : [x];
    return starts.length > 0 && starts.every((start) => typeof start === 'function');
  }),
  launch: option.callback,
  outputs: option.array('a list of fields'),
  error: option.number(0),
  store: option.array('a list of fields'),
  trials: option.whole(1, 1000),
  onTrial: option.callback,
  extensions: option.array('a list of extensions'),
};
