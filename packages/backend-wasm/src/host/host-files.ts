import type { SourceFile, Sources } from '@filigree/backend';
import { type Module, type ScalarType, type Value, arrayConstructor, bytesOf, isWide } from '@filigree/ir';
import { assemble } from '../compile/assemble.js';
import { sourceFile } from '../compile/compile.js';
import { exportName } from '../memory/export-name.js';
import { ownMemoryLayout } from '../memory/own-memory.js';
import { type MemoryLayout, controlBlock } from '../memory/layout.js';

/** Values of a field that lie one behind the other in a buffer. */
export interface HostedField {
  readonly buffer: string;
  readonly type: ScalarType;
  /** Bytes from the start of the buffer. */
  readonly at: number;
  readonly length: number;
}

type HostedFields = Readonly<Record<string, HostedField>>;

/**
 * What is needed to run the sources of a module without Filigree, beside their text: the code in bytes, what its buffers begin with, and a
 * module for Node and browsers, with its types, that opens them on one thread. Nothing for sources that were made for a place in the memory of
 * others.
 *
 * @param module whose sources they are, with its tables; before or after it was made legal
 * @param fields what the host shows beside whole buffers, by its names
 */
export const hostFiles = (module: Module, { files }: Sources, fields: HostedFields = {}): readonly SourceFile[] => {
  const text = files.find((f) => f.name === sourceFile)?.contents;
  if (typeof text !== 'string' || text.includes('(global (export "at")')) return [];
  const layout = ownMemoryLayout(module);
  const host = hosted(module, layout, fields);
  return [
    { name: 'kernels.wasm', language: 'binary', contents: assemble(text) },
    { name: 'tables.bin', language: 'binary', contents: tables(module, layout) },
    { name: 'host.mjs', language: 'js', contents: hostText(host, layout, /\(memory \d+ \d+ shared\)/.test(text)) },
    { name: 'host.d.mts', language: 'ts', contents: typesText(host) },
  ];
};

/** What a host gives: views by name, and functions with their parameters. */
interface Host {
  readonly views: Readonly<Record<'buffers' | 'fields', readonly View[]>>;
  readonly kernels: readonly { readonly name: string; readonly params: readonly Param[] }[];
}

interface View {
  readonly name: string;
  readonly array: string;
  readonly at: number;
  readonly length: number;
}

interface Param {
  readonly name: string;
  readonly isWide: boolean;
}

const hosted = ({ buffers, kernels }: Module, { offsetOf }: MemoryLayout, fields: HostedFields): Host => ({
  views: {
    buffers: buffers.flatMap(({ name, type, length, role }) => {
      const at = offsetOf.get(name);
      return at === undefined || role === 'const' ? [] : [{ name, array: arrayConstructor(type).name, at, length }];
    }),
    fields: Object.entries(fields).flatMap(([name, { buffer, type, at, length }]) => {
      const begin = offsetOf.get(buffer);
      return begin === undefined ? [] : [{ name, array: arrayConstructor(type).name, at: begin + at, length }];
    }),
  },
  kernels: kernels.map(({ name, params }) => ({ name, params: params.map(paramOf) })),
});

/* By the name that it has in the source, where that is one here too. */
const paramOf = ({ hint, type }: Value, k: number, all: readonly Value[]): Param => ({
  name:
    hint !== undefined && /^[a-z]\w*$/i.test(hint) && all.findIndex((p) => p.hint === hint) === k && !WORDS.has(hint)
      ? hint
      : `a${k}_`,
  isWide: isWide(type),
});

/** Names that parameters of functions cannot have in a module, and those that the host's text says itself. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'arguments await break case catch class code const continue debugger default delete do else enum eval export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super switch this throw ' +
    'true try typeof var void while with yield BigInt'
  ).split(' '),
);

/** The memory up to the last byte that is not zero from the start. */
const tables = ({ buffers }: Module, { offsetOf }: MemoryLayout): Uint8Array => {
  const given = buffers.flatMap((b) => {
    const at = offsetOf.get(b.name);
    return b.data === undefined || at === undefined ? [] : [{ at, bytes: withoutZeros(bytesOf(b.data)) }];
  });
  const all = new Uint8Array(Math.max(0, ...given.map(({ at, bytes }) => at + bytes.length)));
  for (const { at, bytes } of given) all.set(bytes, at);
  return all;
};

const withoutZeros = (bytes: Uint8Array): Uint8Array => {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
};

const hostText = ({ views, kernels }: Host, { pages, most, control }: MemoryLayout, shared: boolean): string => {
  const memory = `{ initial: ${pages}, maximum: ${most}${shared ? ', shared: true' : ''} }`;
  return `${[
    '// Runs the kernels beside it, in Node and in browsers: const { buffers, kernels } = await open();',
    '',
    'export const open = async () => {',
    `  const memory = new WebAssembly.Memory(${memory});`,
    `  new Uint8Array(memory.buffer).set(await read('tables.bin'));`,
    `  new Int32Array(memory.buffer)[${(control + controlBlock.threads) / 4}] = 1;`,
    '  const functions = Object.fromEntries(Object.getOwnPropertyNames(Math).map((name) => [name, Math[name]]));',
    '  const math = { ...functions, rem: (a, b) => a % b };',
    `  const module = await WebAssembly.compile(await read('kernels.wasm'));`,
    '  const { exports: code } = await WebAssembly.instantiate(module, { filigree: { memory }, math });',
    ...Object.entries(views).flatMap(([group, list]) => [
      `  const ${group} = {`,
      ...list.map((v) => `    ${key(v.name)}: new ${v.array}(memory.buffer, ${v.at}, ${v.length}),`),
      '  };',
    ]),
    '  const kernels = {',
    ...kernels.map(({ name, params }) => {
      const given = params.map((p) => (p.isWide ? `BigInt(${p.name})` : p.name)).join(', ');
      return `    ${key(name)}: (${namesOf(params)}) => code[${JSON.stringify(exportName(name))}](${given}),`;
    }),
    '  };',
    '  return { memory, buffers, fields, kernels };',
    '};',
    '',
    'const read = async (name) => {',
    '  const url = new URL(name, import.meta.url);',
    `  if (url.protocol === 'file:') return (await import('node:fs/promises')).readFile(url);`,
    '  const answer = await fetch(url);',
    '  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);',
    '  return new Uint8Array(await answer.arrayBuffer());',
    '};',
  ].join('\n')}\n`;
};

const namesOf = (params: readonly Param[]): string => params.map((p) => p.name).join(', ');

const typesText = ({ views, kernels }: Host): string =>
  `${[
    '/** The buffers and fields as views of one memory, and the kernels as functions, which run on one thread. */',
    'export declare const open: () => Promise<{',
    '  readonly memory: WebAssembly.Memory;',
    ...Object.entries(views).flatMap(([group, list]) => [
      `  readonly ${group}: {`,
      ...list.map((v) => `    readonly ${key(v.name)}: ${v.array};`),
      '  };',
    ]),
    '  readonly kernels: {',
    ...kernels.map(({ name, params }) => {
      const typed = params.map((p) => `${p.name}: number${p.isWide ? ' | bigint' : ''}`);
      return `    readonly ${key(name)}: (${typed.join(', ')}) => void;`;
    }),
    '  };',
    '}>;',
  ].join('\n')}\n`;

const key = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && name !== '__proto__' ? name : `[${JSON.stringify(name)}]`;
