import { readFileSync } from 'node:fs';
import { fail } from '@filigree/ir';
import type { VectorUnit } from '../../contract.js';

/** What code is written for and compiled for. */
export interface InstructionSet extends VectorUnit {
  readonly name: InstructionSetName;
  /** Whether it multiplies and adds in one instruction. */
  readonly fma: boolean;
  /** Operations on floats from which a gathered element pays on lanes; 0 where lanes are too few for that. */
  readonly gathers: number;
  /** Flags by which g++ and clang++ make code for it and nothing beyond. */
  readonly flags: readonly string[];
  /** Flags of gcc under which it takes what the processor is good at and it may not know of, by the names of different versions; the first that it takes is added. */
  readonly tuning: readonly string[];
  /** `FILIGREE_TARGET` names it; otherwise it is the best of this processor, which may have more besides. */
  readonly named: boolean;
}

export type InstructionSetName = 'sse' | 'avx2' | 'avx512' | 'neon' | 'plain';

/**
 * The instruction set that all code of this process is made for: the one that `$FILIGREE_TARGET` names, else the best that
 * this processor has, compiled with `-march=native`. Everything that depends on the processor asks here. Throws
 * `DiagnosticError` `toolchain/target` for a name that is none, or that this processor lacks.
 *
 * @param env where `FILIGREE_TARGET` is looked up; default that of the process
 * @param processor default this one
 */
export const instructionSet = (
  env: Readonly<Record<string, string | undefined>> = process.env,
  processor: Processor = thisProcessor(),
): InstructionSet => {
  const present = setsOf(processor);
  const asked = env['FILIGREE_TARGET']?.trim();
  if (asked === undefined || asked === '') {
    const best = known[present.at(-1)!];
    const all = { ...best, flags: ['-march=native', ...best.flags.slice(1)], tuning: [], named: false };
    return processor.features?.has('avx512_fp16') ? { ...all, tuning: GATHERS, gathers: QUICK } : all;
  }
  const found = present.find((name) => name === asked);
  return found === undefined
    ? fail(
        'toolchain/target',
        asked in known
          ? `FILIGREE_TARGET is '${asked}', which this processor does not have`
          : `FILIGREE_TARGET is '${asked}', which is no instruction set`,
        { remedy: `set it to ${present.join(' or ')}, or unset it for all that this processor has` },
      )
    : { ...known[found], tuning: [], named: true };
};

/**
 * Loads from where vector lanes say. Processors that compute with half precision have quick ones; where gcc has no name for them, or a virtual machine hides it,
 * it tunes for all processors there are, of which some have slow ones, and leaves loops that need them scalar.
 */
const GATHERS = ['use_gather', 'use_gather_8parts'].map(
  (most) => `-mtune-ctrl=use_gather_2parts,use_gather_4parts,${most}`,
);

/** What a gathered element costs there, and where each is a load by itself; measured on MLS-MPM, see docs/decisions/cpp-flags.md. */
const [QUICK, SINGLE] = [2, 5];

/** The instruction sets that `FILIGREE_TARGET` may name on a processor, the best last. */
export const instructionSets = (processor: Processor = thisProcessor()): readonly InstructionSetName[] =>
  setsOf(processor);

/** A processor as the system describes it. */
export interface Processor {
  readonly arch: string;
  /** Names of its features; `undefined` where the system does not tell. */
  readonly features: ReadonlySet<string> | undefined;
}

const few = { registers: 16, masks: false, gathers: 0, instructionCache: 32768 } as const;

/**
 * Levels of x86-64 rather than single features, which compilers know by the same names. Without AVX gcc moves vectors of eight bytes
 * through MMX registers and leaves them in use, whereupon every `long double` of the process is not a number, V8's own included.
 */
const known: Readonly<Record<InstructionSetName, Omit<InstructionSet, 'named' | 'tuning'>>> = {
  sse: { name: 'sse', ...few, vectorBytes: 16, fma: false, flags: ['-march=x86-64-v2', '-mno-mmx'] },
  avx2: { name: 'avx2', ...few, vectorBytes: 32, fma: true, flags: ['-march=x86-64-v3'] },
  avx512: {
    name: 'avx512',
    ...few,
    vectorBytes: 64,
    registers: 32,
    masks: true,
    gathers: SINGLE,
    fma: true,
    flags: ['-march=x86-64-v4'],
  },
  neon: {
    name: 'neon',
    ...few,
    vectorBytes: 16,
    registers: 32,
    instructionCache: 65536,
    fma: true,
    flags: ['-march=armv8-a'],
  },
  plain: { name: 'plain', ...few, vectorBytes: 16, fma: true, flags: [] },
};

/** What of the levels Linux names by itself; the rest of a level comes with these on every processor that was made. */
const marks = { avx2: ['avx2', 'fma', 'bmi2'], avx512: ['avx512f', 'avx512bw', 'avx512dq', 'avx512vl'] } as const;

const setsOf = ({ arch, features }: Processor): readonly InstructionSetName[] => {
  if (arch === 'arm64') return ['neon'];
  if (arch !== 'x64') return ['plain'];
  if (features === undefined) return ['sse', 'avx2'];
  const has = (name: keyof typeof marks): boolean => marks[name].every((mark) => features.has(mark));
  return ['sse', ...(has('avx2') ? (['avx2', ...(has('avx512') ? (['avx512'] as const) : [])] as const) : [])];
};

let own: Processor | undefined;

const thisProcessor = (): Processor => (own ??= { arch: process.arch, features: ownFeatures() });

const ownFeatures = (): ReadonlySet<string> | undefined => {
  try {
    const line = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1];
    return line === undefined ? undefined : new Set(line.trim().split(/\s+/));
  } catch {
    return undefined;
  }
};
