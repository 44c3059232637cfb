import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadsPerProcessor } from '@filigree/backend/gpu';
import { contentHash } from '@filigree/backend/native';
import type { BundledProgram, LeftOut } from './bundled-program.js';
import type { Argument, At, Step } from './recording.js';

/** The version of what is written, which the runner writes into its results. */
export const VERSION = 3;

/** Beside the programs, as they are. */
const FILES = ['run.sh', 'runner.cpp', 'baselines.py', 'README.md'];

const here = fileURLToPath(new URL('../../../native/gpu/', import.meta.url));

/** Writes a folder that a machine with a GPU and nvcc runs by `sh run.sh`. Gives how many programs are in it, and those that are not. */
export const writeBundle = async (
  folder: string,
  commit: string,
  programs: AsyncIterable<BundledProgram | LeftOut>,
): Promise<{ readonly count: number; readonly leftOut: readonly LeftOut[] }> => {
  const leftOut: LeftOut[] = [];
  const names: string[] = [];
  for await (const program of programs)
    if ('reason' in program) leftOut.push(program);
    else {
      const name = `${program.kind}-${program.name.replace(/[^A-Za-z0-9]+/g, '-')}`;
      writeProgram(join(folder, 'programs', name), program);
      names.push(name);
    }
  for (const file of FILES) copyFileSync(join(here, file), join(folder, file));
  const lines = [`filigree-bundle ${VERSION}`, `commit ${commit}`, `threads ${threadsPerProcessor}`];
  writeFileSync(join(folder, 'bundle.txt'), [...lines, ...names.map((n) => `program ${n}`), ''].join('\n'));
  writeFileSync(
    join(folder, 'left-out.txt'),
    leftOut.map(({ name, reason }) => `${name}: ${reason.replaceAll('\n', ' ')}\n`).join(''),
  );
  return { count: names.length, leftOut };
};

/* The calls as lines of words, what is written and expected as one file of bytes. */
const writeProgram = (folder: string, { name, kind, recording, tolerance, files }: BundledProgram): void => {
  mkdirSync(folder, { recursive: true });
  recording.modules.forEach(({ text, flags }, k) => {
    writeFileSync(join(folder, `kernels-${k}.cu`), text);
    writeFileSync(join(folder, `kernels-${k}.flags`), `${flags.join(' ')}\n`);
  });
  const data = dataFile();
  const line = (step: Step): string => {
    switch (step.call) {
      case 'allocate':
        return `allocate ${step.bytes}`;
      case 'free':
        return `free ${step.block}`;
      case 'clear':
        return `clear ${place(step.at)} ${step.bytes}`;
      case 'write':
        return `write ${place(step.at)} ${step.data.length} ${data.add(step.data)}`;
      case 'read':
        return `read ${place(step.at)} ${step.data.length} ${step.type} ${tolerance(step.type)} ${data.add(step.data)}`;
      case 'launch': {
        const { module, kernel, blocks, threads, args } = step;
        return `launch ${module} ${kernel} ${blocks} ${threads} ${args.length} ${args.map(argument).join(' ')}`.trimEnd();
      }
      case 'begin':
        return `begin ${step.calls} ${step.amount} ${step.unit} ${step.part}`;
      case 'end':
        return 'end';
    }
  };
  const lines = [
    `name ${name}`,
    `kind ${kind}`,
    `modules ${recording.modules.length}`,
    ...recording.steps.map(line),
    '',
  ];
  writeFileSync(join(folder, 'calls.txt'), lines.join('\n'));
  writeFileSync(join(folder, 'data.bin'), data.bytes());
  for (const [file, contents] of Object.entries(files ?? {})) writeFileSync(join(folder, file), contents);
};

const place = ({ block, offset }: At): string => `${block} ${offset}`;

/* Numbers as the 8 bytes in which they lie. */
const argument = (a: Argument): string =>
  'bits' in a ? `number ${new BigUint64Array(a.bits.slice().buffer)[0]}` : `address ${place(a)}`;

/** Bytes behind one another, equal ones once. */
const dataFile = (): { readonly add: (data: Uint8Array) => number; readonly bytes: () => Uint8Array } => {
  const parts: Uint8Array[] = [];
  const known = new Map<string, number>();
  let length = 0;
  return {
    add: (data) => {
      const key = contentHash(data);
      const at = known.get(key);
      if (at !== undefined) return at;
      known.set(key, length);
      parts.push(data);
      length += data.length;
      return length - data.length;
    },
    bytes: () => Buffer.concat(parts),
  };
};
