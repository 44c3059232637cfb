import type { Backend, CompileOptions } from '@filigree/backend';
import { compileSpec } from '@filigree/backend/options';
import { keyText, toJson, type Diagnostics, type Module } from '@filigree/ir';
import { kernelKey, type KernelDef, type KernelSignature, type KnownFiles } from '@filigree/lang/kernels';
import { quantFormats } from '@filigree/quant/formats';
import { layoutOf, layoutTree, type Layout } from '@filigree/sparse/fields';
import { bankEntry, textEntry, type BankEntry, type TextEntry } from '../bank/banked.js';
import { pipelineSpec, type FieldPipelineOptions } from './field-passes.js';
import { only } from './only.js';

/** What a program depends on beside its kernels, and where what it becomes is kept. Loaded where the backend keeps something: in pages it does not. */
export interface Kept extends Omit<FieldPipelineOptions, 'fastMath'>, CompileOptions {
  readonly backend: Backend;
  readonly layout: Layout;
  readonly budget?: number;
  readonly threads?: number;
}

/** What the front end found out that a program is run by. */
export interface Told {
  readonly signatures: Readonly<Record<string, KernelSignature>>;
  /** The name of its memory, which no buffer of a kernel has. */
  readonly memory: string;
  readonly said: Diagnostics;
}

export const isTold = (told: unknown): told is Told => {
  const { signatures, memory, said } = (told ?? {}) as Partial<Told>;
  return typeof signatures === 'object' && typeof memory === 'string' && Array.isArray(said);
};

/** Where what texts become is kept, and the files of these texts, by which places in warnings are told. */
export interface KeptTexts extends TextEntry {
  readonly files: ReadonlySet<string>;
  readonly isSure: () => boolean;
}

/**
 * Where it is kept what the texts of a program become, so that its kernels need not be read again. Nothing where a text does not tell everything.
 *
 * @param definitions kernels by their names in the module
 */
export const textsOf = async (
  options: Kept,
  definitions: ReadonlyMap<string, KernelDef>,
  layout: Layout,
): Promise<KeptTexts | undefined> => {
  const known: KnownFiles = new Map();
  const keys = [...definitions.values()].flatMap((def) => kernelKey(def, layout, known) ?? []);
  if (keys.length < definitions.size) return undefined;
  const texts = JSON.stringify([[...definitions.keys()], keys.map(({ text, files }) => ({ text, files }))]);
  const contents = keyText(new Map(keys.flatMap((key) => [...key.contents])));
  const entry = await textEntry(options.backend, only(options, compileSpec), [texts, contents, ...partsOf(options)]);
  return (
    entry && {
      ...entry,
      files: new Set(keys.flatMap(({ files }) => files)),
      isSure: () => keys.every((key) => key.isSure()),
    }
  );
};

/** Where what a module of the program becomes is kept; nothing where that cannot be told. */
export const entryOf = (options: Kept, module: Module): Promise<BankEntry | undefined> =>
  bankEntry(options.backend, only(options, compileSpec), [JSON.stringify(toJson(module)), ...partsOf(options)]);

/** What a program depends on beside its kernels. */
export const partsOf = ({ layout, budget, threads, ...options }: Kept): readonly (string | undefined)[] => [
  textOf(layout.nodes),
  keyText({ budget, threads, ...only<object>(options, pipelineSpec), extensions: undefined }),
];

/**
 * Whether the text of a layout tells all of it: its formats are ours. Those of others are functions, which may know numbers that stand nowhere.
 */
export const isToldByText = ({ nodes }: Layout): boolean =>
  nodes.every(({ stored }) => {
    /* The words of a bit array are stored as they are. */
    if (stored === undefined || stored.elements !== undefined) return true;
    const { name, attrs } = stored.format;
    return Object.hasOwn(quantFormats, name) && textOf(stored.format) === textOf(quantFormats[name](attrs));
  });

/** Whether another thread lowers as this one does, by the layout that it reads. Extensions have no bearing on what is kept. */
export const isData = (layout: Layout): boolean =>
  textOf(layout.nodes) === textOf(layoutOf({ ...layoutTree(layout) }, quantFormats).nodes);

/** A layout, or a part of one, as text. Formats are functions, whose numbers stand beside them. */
const textOf = (value: unknown): string | undefined =>
  keyText(value, (f) => (typeof f === 'function' ? `${f.name} ${Function.prototype.toString.call(f)}` : undefined));
