import { readFileSync, readdirSync } from 'node:fs';
import { arch, cpus, release, totalmem, type as osType } from 'node:os';
import { instructionSet, instructionSets } from '@filigree/backend/native';
import { baselineFlags } from './native/build.js';
import { findCompiler, findEigen } from './native/toolchain.js';

/** What a number was measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** For example `L1d 32 KiB, L2 512 KiB, L3 32 MiB`; empty where the system does not tell. */
  readonly caches: string;
  readonly memoryGB: number;
  readonly system: string;
  readonly node: string;
  /** Version line of the C++ compiler, or why there is none. */
  readonly compiler: string;
  readonly flags: string;
  /** The instruction set that code was made for, and whether that is the best of the processor. */
  readonly target: string;
  readonly eigen: string;
}

/** Describes this machine. */
export const describeMachine = (): Machine => {
  const compiler = findCompiler();
  const eigen = findEigen();
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    caches: cacheSizes(),
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${osType()} ${release()} ${arch()}`,
    node: process.version,
    compiler: 'found' in compiler ? compiler.found.version : compiler.missing,
    flags: baselineFlags().join(' '),
    target: targetText(),
    eigen: 'found' in eigen ? eigen.found.version : eigen.missing,
  };
};

const targetText = (): string => {
  const { name, vectorBytes, named } = instructionSet();
  const how = named ? `named by FILIGREE_TARGET, of ${instructionSets().join(', ')}` : 'the best of this processor';
  return `${name}: vectors of ${vectorBytes} bytes, ${how}`;
};

/** Caches of the first core, as Linux tells them. */
const cacheSizes = (): string => {
  const folder = '/sys/devices/system/cpu/cpu0/cache';
  const read = (index: string, what: string): string => readFileSync(`${folder}/${index}/${what}`, 'utf8').trim();
  try {
    return readdirSync(folder)
      .filter((index) => index.startsWith('index') && read(index, 'type') !== 'Instruction')
      .map((index) => {
        const kibibytes = Number(read(index, 'size').replace('K', ''));
        const size = kibibytes >= 1024 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`;
        return `L${read(index, 'level')}${read(index, 'type') === 'Data' ? 'd' : ''} ${size}`;
      })
      .join(', ');
  } catch {
    return '';
  }
};
