import { DiagnosticError } from '@filigree/ir';
import { drawFrom } from '../draw.js';
import type { TraceCode } from './code.js';
import { drawTrace, PROFILES, type TraceChoice } from './generate.js';
import { runTraces, type Level, type TraceFault, type TraceTarget } from './run.js';
import { scriptOfTrace } from './script.js';
import { shrinkTrace } from './shrink.js';
import type { Findings, Fuzz } from '../fuzz.js';

/** What a program may be refused for: an output that is no number whatever the inputs. */
const NOT_A_NUMBER = 'trace/not-a-number';

/** Programs that are compiled as one. */
const BATCH = 30;

const LEVELS: readonly Level[] = ['exact', 'range-keeping', 'algebraic'];

/**
 * Random traced programs held against plain evaluation at each level, in f32 and f64, with numbers of every kind: each alone on
 * the first backend, then many as one program on all of them, with one thread and with two.
 */
export const fuzzTraces = async ({
  seed,
  count,
  first = 0,
  backends,
  say,
  most,
  levels = LEVELS,
}: Fuzz & { readonly levels?: readonly Level[] }): Promise<Findings> => {
  const refused = new Map<string, number>();
  const faults: string[] = [];
  let tried = 0;
  const start = Math.floor(first / BATCH);
  for (let from = start * BATCH, batch = start; from < first + count && faults.length < most; from += BATCH, batch++) {
    const level = levels[batch % levels.length];
    const dtype = Math.floor(batch / levels.length) % 2 === 0 ? 'f64' : 'f32';
    const choice: TraceChoice = {
      profile: level === 'algebraic' ? 'moderate' : PROFILES[batch % PROFILES.length],
      dtype,
      exact: level === 'exact' || batch % 4 < 2,
    };
    const target = (backend: string, threads: number): TraceTarget => ({ level, dtype, backend, threads });
    const drawn = Array.from({ length: Math.min(BATCH, first + count - from) }, (_, n) =>
      drawTrace(drawFrom(seed * 1_000_003 + from + n), String(n), choice),
    );
    const found: TraceFault[] = [];
    const sound: TraceCode[] = [];
    for (const t of drawn) {
      const result = await attempt([t], target(backends[0], 1));
      if (result === NOT_A_NUMBER) refused.set(result, (refused.get(result) ?? 0) + 1);
      else if (typeof result === 'string')
        found.push({ trace: t, target: target(backends[0], 1), what: `refused: ${result}` });
      else if (result.length > 0) found.push(...result);
      else sound.push(t);
    }
    for (const backend of backends) found.push(...(await together(sound, target(backend, 1 + (batch % 2)))));
    tried += drawn.length;
    say(
      `${tried} of ${count} traced programs, ${faults.length + found.length} faults, ${[...refused.values()].reduce((a, b) => a + b, 0)} refused`,
    );
    for (const fault of found.slice(0, most - faults.length)) {
      faults.push(await minimal(fault, say));
      say(`\n${faults.at(-1)}\n`);
    }
  }
  return { tried, faults, refused };
};

/** Faults, or the code of a refusal. */
const attempt = async (traces: readonly TraceCode[], target: TraceTarget): Promise<readonly TraceFault[] | string> => {
  try {
    return await runTraces(traces, target);
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
};

/** What runs alone is to run among others: halves are tried until the program that does not is found. */
const together = async (traces: readonly TraceCode[], target: TraceTarget): Promise<readonly TraceFault[]> => {
  if (traces.length === 0) return [];
  const result = await attempt(traces, target);
  if (typeof result !== 'string') return result;
  if (traces.length === 1) return [{ trace: traces[0], target, what: `refused: ${result}` }];
  const half = traces.length >> 1;
  const parts = [...(await together(traces.slice(0, half), target)), ...(await together(traces.slice(half), target))];
  return parts.length > 0 ? parts : [{ trace: traces[0], target, what: `refused together with others: ${result}` }];
};

const minimal = async (fault: TraceFault, say: (line: string) => void): Promise<string> => {
  say(
    `a fault at ${fault.target.level}, ${fault.target.dtype}, ${fault.target.backend}: ${fault.what}; looking for a smaller program`,
  );
  let last = fault;
  const fails = async (t: TraceCode): Promise<boolean> => {
    try {
      const result = await attempt([t], fault.target);
      if (typeof result === 'string') return fault.what === `refused: ${result}`;
      if (result.length > 0) last = result[0];
      return result.length > 0 && !fault.what.startsWith('refused');
    } catch {
      /* Taking parts out can leave something that is no program. */
      return false;
    }
  };
  const trace = await shrinkTrace(fault.trace, fails, fault.target.backend === 'cpp' ? 150 : 600);
  return scriptOfTrace({ ...last, trace });
};
