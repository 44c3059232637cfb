import type { DType } from '@filigree/e2e';
import { DiagnosticError } from '@filigree/ir';
import { FIELD_ABLATIONS } from 'filigree';
import { measure, speedup, type Contender, type Ratio } from '../measure.js';
import { applicationCase, type ApplicationCase, type ApplicationName, type Ready } from './applications.js';

/** An application to measure. */
export interface ApplicationJob {
  readonly name: ApplicationName;
  readonly size?: number;
  readonly dtype: DType;
  readonly threads: number;
  readonly backend?: string;
  /** Parts of the optimiser to switch off, one after the other, several at once as `a+b`; `TABLE_PARTS` unless given. */
  readonly parts?: readonly string[];
  readonly rounds?: number;
  /** Least time of a sample, in milliseconds. */
  readonly minMs?: number;
}

/** What one way to compile an application is worth. */
export interface Configuration {
  /** Milliseconds a run, or why there is no time. */
  readonly ms: number | string;
  /** Milliseconds from the kernels to the loaded program, nothing taken from the cache. */
  readonly compileMs?: number;
  /** How many times faster the program with everything on is. */
  readonly slower?: Ratio;
}

export interface ApplicationResult {
  readonly name: ApplicationName;
  readonly title: string;
  readonly coherent: boolean;
  readonly backend: string;
  readonly on: Configuration;
  /** Each part off, by its name. */
  readonly without: Readonly<Record<string, Configuration>>;
  /** All parts off. */
  readonly off: Configuration;
  readonly byHand: Configuration;
}

/** The parts of the optimiser of fields, as they are now. */
export const OPTIMISER_PARTS: readonly string[] = Object.keys(FIELD_ABLATIONS);

/** What makes vectors, all of it: without it only the C++ compiler does. */
export const VECTOR_PARTS = OPTIMISER_PARTS.filter((p) => p === 'vectorize' || p === 'superword').join('+');

/** What the rows of the tables switch off: each part, and all that makes vectors. */
export const TABLE_PARTS: readonly string[] = [
  ...OPTIMISER_PARTS,
  ...(VECTOR_PARTS.includes('+') ? [VECTOR_PARTS] : []),
];

/**
 * Compiles an application with everything on, with each part off and with all off, checks every answer against the C++ by hand
 * (where there is none, against everything on), and times those that are right side by side in this process.
 */
export const measureApplication = async (
  job: ApplicationJob,
  say: (line: string) => void = () => undefined,
): Promise<ApplicationResult> => {
  const { name, size, dtype, threads, backend, parts = TABLE_PARTS, rounds = 9, minMs = 20 } = job;
  const c = await applicationCase(name, size);
  const compile = (ablate: readonly string[]): Promise<Made> =>
    compiled(c, { ablate, dtype, threads, cache: false, ...(backend === undefined ? {} : { backend }) });

  const ways = [
    { label: ON, ablate: [] },
    ...parts.map((p) => ({ label: p, ablate: p.split('+') })),
    { label: OFF, ablate: OPTIMISER_PARTS },
  ];
  const all = new Map<string, Made>();
  for (const { label, ablate } of ways) {
    all.set(label, await compile(ablate));
    say(`${name}: ${label}: compiled in ${all.get(label)!.compileMs?.toFixed(0) ?? '–'} ms`);
  }
  all.set(BY_HAND, await byHand(c, dtype, threads));
  try {
    const right = checked(c, dtype, all, [BY_HAND, ON]);
    const timings = measure(right.contenders, { rounds, minMs, tolerance: Infinity });
    const timing = (label: string) => timings.find((t) => t.name === label);
    const configuration = (label: string): Configuration => {
      const [mine, on] = [timing(label), timing(ON)];
      const { compileMs } = all.get(label)!;
      return {
        ms: mine?.median ?? right.wrong.get(label) ?? '–',
        ...(compileMs === undefined ? {} : { compileMs }),
        ...(mine && on && { slower: speedup(mine, on) }),
      };
    };
    return {
      name,
      title: c.title,
      coherent: c.coherent,
      backend: backend ?? 'default',
      on: configuration(ON),
      without: Object.fromEntries(parts.map((p) => [p, configuration(p)])),
      off: configuration(OFF),
      byHand: configuration(BY_HAND),
    };
  } finally {
    for (const { ready } of all.values()) if (typeof ready !== 'string') ready.close();
  }
};

const [ON, OFF, BY_HAND] = ['everything on', 'everything off', 'C++ by hand'];

/** An application by one way, or the sentence that says why there is none. */
interface Made {
  readonly ready: Ready | string;
  readonly compileMs?: number;
}

const compiled = async (c: ApplicationCase, options: Parameters<ApplicationCase['ours']>[0]): Promise<Made> => {
  const begin = performance.now();
  let compileMs = NaN;
  try {
    /* Sources are handed out as soon as the kernels are loaded; what follows gives fields their first values. */
    const emit = (): void => void (compileMs = performance.now() - begin);
    return { ready: await c.ours({ ...options, emit }), compileMs };
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    return { ready: e.diagnostics[0].code };
  }
};

const byHand = async (c: ApplicationCase, dtype: DType, threads: number): Promise<Made> => ({
  ready: await c.byHand(dtype, threads),
});

/** Those whose answer is right, compared with that of the first of `references` that there is; of the others, why not. */
const checked = (
  c: ApplicationCase,
  dtype: DType,
  all: ReadonlyMap<string, Made>,
  references: readonly string[],
): { readonly contenders: readonly Contender[]; readonly wrong: ReadonlyMap<string, string> } => {
  const wrong = new Map<string, string>();
  const answers = new Map<string, ArrayLike<number>>();
  for (const [label, { ready }] of all)
    if (typeof ready === 'string') wrong.set(label, ready);
    else answers.set(label, ready.answer());
  const expected = references.map((r) => answers.get(r)).find((a) => a !== undefined);
  const contenders = [...all].flatMap(([label, { ready }]): Contender[] => {
    const answer = answers.get(label);
    if (typeof ready === 'string' || answer === undefined || expected === undefined) return [];
    const distance = c.distance(answer, expected);
    if (distance <= c.tolerance[dtype]) return [{ name: label, run: ready.run, check: () => distance }];
    wrong.set(label, `wrong by ${distance.toExponential(1)}`);
    return [];
  });
  return { contenders, wrong };
};
