import type { Backend } from '@filigree/backend';
import type { Timed } from '@filigree/backend/gpu';
import { DiagnosticError, orThrow } from '@filigree/ir';
import { expression, expressions } from './bundle/algebra.js';
import { fieldPrograms, isRight } from './bundle/field-rates.js';
import type { LeftOut } from './bundle/bundled-program.js';
import { type Float, type Rate, rates } from './bundle/rates.js';
import type { Part } from './bundle/recording.js';
import type { Recorder } from './bundle/recorder.js';
import type { GpuResult } from './results.js';

/** A backend that loads in this process. It tells `timed` what each launch took on its device, if it is asked to and there is a clock. */
export type TimedBackend = (timed: Timed | undefined) => Backend;

/**
 * Measures on a device of this machine, in this process, what a bundle measures elsewhere: kernels that wait for memory, expressions on sparse matrices, and
 * programs of fields. Launches are timed by the device where it has clocks, else by this process, which waits for them. What is refused by name is left out.
 *
 * @param type what is computed in
 */
export async function* directRates(
  make: TimedBackend,
  type: Float,
  elements: number,
): AsyncGenerator<GpuResult | LeftOut> {
  const clock = await clockOf(make, type);
  for (const rate of rates(elements, type)) yield tried(rate.name, 'rate', clock, (on) => launched(rate, type, on));
  for (const name of expressions) yield tried(name, 'algebra', clock, (on) => expression(name, elements, on, type));
  for (const [name, { make: program, kind }] of Object.entries(fieldPrograms))
    yield tried(name, kind, clock, async (on) => {
      const made = await program(elements, on, type);
      return { isRight: isRight(made), close: made.close };
    });
}

/** A program that was made and ran once, by what it was measured. */
interface Ran {
  readonly isRight: boolean;
  readonly close: () => void;
}

type On = Pick<Recorder, 'backend' | 'part'>;

/* Refused before anything runs: what a language lacks, what a device lacks. */
const REFUSED = /^(emit\/unsupported-|pairs\/)/;

const tried = async (
  name: string,
  kind: GpuResult['kind'],
  clock: Clock,
  run: (on: On) => Promise<Ran>,
): Promise<GpuResult | LeftOut> => {
  const began = performance.now();
  const result = (passed: boolean, why: string, parts: GpuResult['parts'] = []): GpuResult => ({
    ...{ name, kind, passed, why, parts },
    seconds: (performance.now() - began) / 1e3,
  });
  const noted = noteParts();
  try {
    const { isRight, close } = await run({ backend: clock.backend, part: noted.part });
    try {
      return isRight ? result(true, '', noted.measured(clock)) : result(false, 'its result is wrong');
    } finally {
      close();
    }
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    const [{ code, message }] = e.diagnostics;
    return REFUSED.test(code) ? { name, reason: message } : result(false, message.split('\n')[0]);
  }
};

/** Parts are noted while the program runs, and measured when its results were looked at: they change them. */
const noteParts = () => {
  const parts: { readonly part: Part; readonly run: () => unknown }[] = [];
  let done = false;
  return {
    part: <T>(part: Part, run: () => T): T => {
      if (!done) parts.push({ part, run });
      return run();
    },
    measured: (clock: Clock): GpuResult['parts'] => {
      done = true;
      return parts.map(({ part: { calls, ...part }, run }) => ({
        ...part,
        seconds: clock.secondsOf(run, calls === 'launches'),
      }));
    },
  };
};

/** A backend, and what something took on it. */
interface Clock {
  readonly backend: Backend;
  /** The median of several times. @param onDevice launches alone, by the device's own clock if it has one */
  readonly secondsOf: (run: () => unknown, onDevice: boolean) => number;
}

/* A driver without clocks says so when something is to be launched. */
const clockOf = async (make: TimedBackend, type: Float): Promise<Clock> => {
  let told: number | undefined;
  const timed = make(({ ms }) => (told = (told ?? 0) + ms / 1e3));
  const backend = (await hasClock(timed, type)) ? timed : make(undefined);
  const once = (run: () => unknown, onDevice: boolean): number => {
    told = undefined;
    const began = performance.now();
    run();
    const waited = (performance.now() - began) / 1e3;
    return onDevice ? (told ?? waited) : waited;
  };
  return {
    backend,
    secondsOf: (run, onDevice) => {
      const times: number[] = [];
      const began = performance.now();
      while (times.length < LEAST || (times.length < MOST && performance.now() - began < ENOUGH_MS))
        times.push(once(run, onDevice));
      return times.sort((a, b) => a - b)[times.length >> 1];
    },
  };
};

const hasClock = async (backend: Backend, type: Float): Promise<boolean> => {
  const [rate] = rates(1, type);
  try {
    (await launched(rate, type, { backend, part: (_, run) => run() })).close();
    return true;
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    /* What else is wrong each program says by itself. */
    return e.diagnostics.every((d) => !d.code.endsWith('/times'));
  }
};

/* As often as it takes for a time that stays, of which the first is part: others have compiled and loaded before. */
const [LEAST, MOST, ENOUGH_MS] = [3, 101, 300];

/* Both ends of the result are looked at. */
const launched = async (
  { module, fill, kernel, elements, bytes, result, expected }: Rate,
  type: Float,
  { backend, part }: On,
): Promise<Ran> => {
  const legal = orThrow(backend.legalize.run(module));
  const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
  const x = orThrow(await backend.load!(artifact, legal)());
  x.launch(fill, [elements]);
  part({ part: 'launch', calls: 'launches', amount: bytes, unit: 'bytes' }, () => x.launch(kernel, [elements]));
  const length = Math.min(elements, ENDS);
  const isRight = [0, elements - length].every((first) => {
    const found = type === 'f32' ? new Float32Array(length) : new Float64Array(length);
    x.buffer(result).read(found, first);
    return found.every((v, k) => v === expected(first + k));
  });
  return { isRight, close: () => x.dispose() };
};

const ENDS = 4096;
