import { DiagnosticError } from '@filigree/ir';
import { interpreter } from '../../../../packages/runtime/tests/interpreter.js';
import type { Backend } from '@filigree/backend';
import { nameOf } from '../backends.js';
import { drawFrom } from '../draw.js';
import type { Findings, Fuzz } from '../fuzz.js';
import type { KernelCode } from './code.js';
import { evaluate } from './evaluate.js';
import { drawKernel, type KernelChoice } from './generate.js';
import { refusalOf, runKernels, type Fault, type Target } from './run.js';
import { ListFull } from './state.js';
import { scriptOf } from './script.js';
import { shrinkKernel } from './shrink.js';

export interface KernelFuzz extends Fuzz {
  /** Whether indices lie beyond layouts. */
  readonly outside: boolean;
  /** Whether fields are stored in few bits, and passes are switched off in turn. */
  readonly few?: boolean;
}

/** What a kernel may be refused for: constants that overflow, and indices known to lie beyond a layout. */
const FAIR: ReadonlySet<string> = new Set(['lang/literal', 'lang/index-range']);

const refusal = (kernel: KernelCode, code: string): Fault => ({
  kernel,
  target: INTERPRETER,
  what: `refused: ${code}`,
});

/** What is switched off in turn where fields are stored in few bits. */
const OFF: readonly (readonly string[])[] = [
  [],
  ['fuse-stores'],
  ['own-words'],
  ['vectorize-bits'],
  [],
  ['fuse-stores', 'own-words', 'vectorize-bits'],
  ['simplify-access'],
  ['vectorize'],
  ['optimize'],
];

/** Kernels that are compiled into one program, since a compiler takes as long to start as for some of them. */
const BATCH = 40;

const INTERPRETER: Target = { name: 'interpreter', backend: interpreter(), threads: 1, fastMath: false };

const STORE: Target = { name: 'the store', backend: 'store', threads: 1, fastMath: false };

/**
 * Random kernels held against their evaluation, many in one program, on the first backend, and of some batches on all others and
 * in the interpreter, lowered and not, with one thread and with two, and where floats are exact also as C++ compilers reassociate.
 */
export const fuzzKernels = async ({
  seed,
  count,
  first = 0,
  backends,
  every,
  outside,
  few = false,
  say,
  most,
}: KernelFuzz): Promise<Findings> => {
  const refused = new Map<string, number>();
  const faults: string[] = [];
  let tried = 0;
  const start = Math.floor(first / BATCH);
  for (let from = start * BATCH, batch = start; from < first + count && faults.length < most; from += BATCH, batch++) {
    const choice: KernelChoice = { floats: (['none', 'exact', 'any'] as const)[batch % 3], outside, few };
    const drawn = Array.from({ length: Math.min(BATCH, first + count - from) }, (_, n) =>
      drawKernel(drawFrom(seed * 1_000_003 + from + n), `k${n}`, choice),
    );
    const found: Fault[] = [];
    const sound: KernelCode[] = [];
    for (const k of drawn) {
      const code = refusalOf(k);
      if (code === undefined) sound.push(k);
      else if (FAIR.has(code)) refused.set(code, (refused.get(code) ?? 0) + 1);
      else found.push(refusal(k, code));
    }
    for (const target of targetsOf(backends, batch, every, few)) {
      const fit = sound.filter((k) => fits(k, target));
      found.push(...(await onTarget(fit, target)));
    }
    tried += drawn.length;
    say(
      `${tried} of ${count} kernels, ${faults.length + found.length} faults, ${[...refused.values()].reduce((a, b) => a + b, 0)} refused`,
    );
    for (const fault of found.slice(0, most - faults.length)) {
      faults.push(await minimal(fault, say));
      say(`\n${faults.at(-1)}\n`);
    }
  }
  return { tried, faults, refused };
};

/* C++ also with the shipped default, under which floats may be reassociated. */
const targetsOf = (
  backends: readonly (Backend | string)[],
  batch: number,
  every: number,
  few: boolean,
): readonly Target[] => {
  const threads = 1 + (batch % 2);
  const all = backends.map((backend): Target => {
    const fastMath = backend === 'cpp' && batch % 3 !== 2;
    const ablate = few ? OFF[Math.floor(batch / 3) % OFF.length] : [];
    const without = ablate.length > 0 ? `, without ${ablate.join(' and ')}` : '';
    const name = `${nameOf(backend)}, ${threads} threads${fastMath ? ', fast math' : ''}${without}`;
    return { name, backend, threads, fastMath, ablate };
  });
  const [first, ...others] = [...all, INTERPRETER, STORE];
  return [first, ...others.filter((_, n) => (batch + n) % every === 0)];
};

/* Only what is exact in any order is one number: of sums always, under fast math of all. */
const fits = (k: KernelCode, { fastMath }: Target): boolean => {
  try {
    const { rounded, sumsRounded } = evaluate(k);
    return fastMath ? !rounded : !sumsRounded;
  } catch (e) {
    if (e instanceof ListFull) return true;
    throw e;
  }
};

/** Faults, or the code of a refusal. */
const attempt = async (kernels: readonly KernelCode[], target: Target): Promise<readonly Fault[] | string> => {
  try {
    return await runKernels(kernels, target);
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
};

/** On a backend nothing is to be refused that the front end takes: halves are tried until the kernel is found. */
const onTarget = async (kernels: readonly KernelCode[], target: Target): Promise<readonly Fault[]> => {
  if (kernels.length === 0) return [];
  const result = await attempt(kernels, target);
  if (typeof result !== 'string') return result;
  if (kernels.length === 1) return [{ kernel: kernels[0], target, what: `refused: ${result}` }];
  const half = kernels.length >> 1;
  return [...(await onTarget(kernels.slice(0, half), target)), ...(await onTarget(kernels.slice(half), target))];
};

/* Smaller programs are to fail in the same way: by a value, by what is active, or by being refused. */
const kindOf = (what: string): string =>
  / active$/.exec(what)?.[0] ?? /^the launch is refused/.exec(what)?.[0] ?? 'value';

const minimal = async (fault: Fault, say: (line: string) => void): Promise<string> => {
  say(`a fault on ${fault.target.name}: ${fault.what}; looking for a smaller program`);
  const isRefusal = fault.what.startsWith('refused');
  let last = fault;
  const fails = async (k: KernelCode): Promise<boolean> => {
    try {
      const result = await attempt([k], fault.target);
      if (typeof result === 'string')
        return fault.what === `refused: ${result}` && (fault.target === INTERPRETER || refusalOf(k) === undefined);
      if (isRefusal || result.length === 0 || kindOf(result[0].what) !== kindOf(fault.what)) return false;
      last = result[0];
      return true;
    } catch {
      /* Taking parts out can leave something that is no kernel. */
      return false;
    }
  };
  const kernel = await shrinkKernel(fault.kernel, fails, typeof fault.target.backend === 'string' ? 150 : 600);
  return scriptOf({ ...fault, kernel, what: isRefusal ? fault.what : last.what });
};
