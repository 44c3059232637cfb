import { DiagnosticError } from '@filigree/ir';
import type { Backend } from '@filigree/backend';
import { nameOf } from '../backends.js';
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
 * Random traced programs held against plain evaluation at each level, in f32 and f64, with numbers of every kind, with one thread
 * and with two: many as one program on the first backend, and of some batches each alone and on all other backends.
 */
export const fuzzTraces = async ({
  seed,
  count,
  first = 0,
  backends,
  every,
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
    /* Drawn, so that every level meets numbers of all kinds. */
    const d = drawFrom(seed * 7_919 + batch);
    const profile = d.of(PROFILES);
    const choice: TraceChoice = {
      profile: level === 'algebraic' ? 'moderate' : profile,
      dtype,
      exact: d.chance(0.5) || level === 'exact',
    };
    const threads = 1 + d.int(2);
    const target = (backend: Backend | string): TraceTarget => ({ level, dtype, backend, threads });
    const drawn = Array.from({ length: Math.min(BATCH, first + count - from) }, (_, n) =>
      drawTrace(drawFrom(seed * 1_000_003 + from + n), String(n), choice),
    );
    const found: TraceFault[] = [];
    const sound: TraceCode[] = [];
    const note = (t: TraceCode, result: readonly TraceFault[] | string): void => {
      if (result === NOT_A_NUMBER) refused.set(result, (refused.get(result) ?? 0) + 1);
      else if (typeof result === 'string')
        found.push({ trace: t, target: target(backends[0]), what: `refused: ${result}` });
      else if (result.length > 0) found.push(...result);
      else sound.push(t);
    };
    const slow = batch % every === 0;
    const whole = slow ? undefined : await attempt(drawn, target(backends[0]));
    if (typeof whole === 'object') found.push(...whole);
    else {
      for (const t of drawn) note(t, await attempt([t], target(backends[0])));
      for (const backend of slow ? backends : backends.slice(0, 1))
        found.push(...(await together(sound, target(backend))));
    }
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
    `a fault at ${fault.target.level}, ${fault.target.dtype}, ${nameOf(fault.target.backend)}: ${fault.what}; looking for a smaller program`,
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
