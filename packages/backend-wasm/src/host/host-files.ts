import type { SourceFile, Sources } from '@filigree/backend';
import { type Buffer, type Module, arrayConstructor, bytesOf, isWide } from '@filigree/ir';
import { assemble } from '../compile/assemble.js';
import { sourceFile } from '../compile/compile.js';
import { exportName } from '../emit/kernel.js';
import { ownMemoryLayout } from '../emit/module.js';
import { type MemoryLayout, controlBlock } from '../memory/layout.js';

/**
 * What is needed to run the sources of a module without Filigree, beside their text: the code in bytes, what its buffers begin with, and a
 * module for Node and browsers that opens them on one thread. Nothing for sources that were made for a place in the memory of others.
 *
 * @param module whose sources they are, with its tables; before or after it was made legal
 */
export const hostFiles = (module: Module, { files }: Sources): readonly SourceFile[] => {
  const text = files.find((f) => f.name === sourceFile)?.contents;
  if (typeof text !== 'string' || text.includes('(global (export "at")')) return [];
  const layout = ownMemoryLayout(module);
  return [
    { name: 'kernels.wasm', language: 'binary', contents: assemble(text) },
    { name: 'tables.bin', language: 'binary', contents: tables(module, layout) },
    { name: 'host.mjs', language: 'js', contents: hostText(module, layout, /\(memory \d+ \d+ shared\)/.test(text)) },
  ];
};

/** The memory up to the last byte that is not zero from the start. */
const tables = ({ buffers }: Module, { offsetOf }: MemoryLayout): Uint8Array => {
  const given = buffers.flatMap((b) => {
    const at = offsetOf.get(b.name);
    return b.data === undefined || at === undefined ? [] : [{ at, bytes: bytesOf(b.data) }];
  });
  const all = new Uint8Array(Math.max(0, ...given.map(({ at, bytes }) => at + bytes.length)));
  for (const { at, bytes } of given) all.set(bytes, at);
  return all;
};

const hostText = (module: Module, { pages, most, control, offsetOf }: MemoryLayout, shared: boolean): string => {
  const views = module.buffers.flatMap((b) => {
    const at = offsetOf.get(b.name);
    return at === undefined || b.role === 'const' ? [] : [`    ${key(b.name)}: ${viewOf(b, at)},`];
  });
  const kernels = module.kernels.map(({ name, params }) => {
    const names = params.map((_, k) => `a${k}`);
    const given = params.map((p, k) => (isWide(p.type) ? `BigInt(a${k})` : `a${k}`));
    return `    ${key(name)}: (${names.join(', ')}) => code[${JSON.stringify(exportName(name))}](${given.join(', ')}),`;
  });
  const memory = `{ initial: ${pages}, maximum: ${most}${shared ? ', shared: true' : ''} }`;
  return `${[
    '// Runs the kernels beside it, in Node and in browsers: const { buffers, kernels } = await open();',
    '',
    '/** The buffers as views of one memory, and the kernels as functions, which run on one thread. */',
    'export const open = async () => {',
    `  const memory = new WebAssembly.Memory(${memory});`,
    `  new Uint8Array(memory.buffer).set(await read('tables.bin'));`,
    `  new Int32Array(memory.buffer)[${(control + controlBlock.threads) / 4}] = 1;`,
    '  const functions = Object.fromEntries(Object.getOwnPropertyNames(Math).map((name) => [name, Math[name]]));',
    '  const math = { ...functions, rem: (a, b) => a % b };',
    `  const module = await WebAssembly.compile(await read('kernels.wasm'));`,
    '  const { exports: code } = await WebAssembly.instantiate(module, { filigree: { memory }, math });',
    '  const buffers = {',
    ...views,
    '  };',
    '  const kernels = {',
    ...kernels,
    '  };',
    '  return { memory, buffers, kernels };',
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

const key = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) && name !== '__proto__' ? name : `[${JSON.stringify(name)}]`;

const viewOf = ({ type, length }: Buffer, at: number): string =>
  `new ${arrayConstructor(type).name}(memory.buffer, ${at}, ${length})`;
