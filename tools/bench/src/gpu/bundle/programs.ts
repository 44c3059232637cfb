import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orThrow } from '@filigree/ir';
import { conformance, conformancePrograms } from '@filigree/conformance';
import { gallery, small, withPictures } from '@filigree/e2e';
import { type Order, cudaMachine } from '@filigree/shims';
import { DiagnosticError } from 'filigree';
import { disagreement } from './agree.js';
import { algebra } from './algebra.js';
import type { BundledProgram, LeftOut } from './bundled-program.js';
import { fieldRates } from './field-rates.js';
import { type Rate, rates } from './rates.js';
import { RELATIVE, byRelative } from './relative.js';
import { type Recorder, recorderOn } from './recorder.js';
import type { DataType, Recording } from './recording.js';

/** What to take. Default: all. */
export interface Choice {
  readonly conformance?: readonly string[];
  readonly gallery?: readonly string[];
  /** Elements of an array of the measured kernels; 0 for none. */
  readonly elements: number;
}

/** Runs programs on the CPU, by the text that a GPU gets, and records them: those of conformance against the interpreter, examples by their checks. */
export async function* bundledPrograms({
  conformance: programs = conformancePrograms().map((p) => p.name),
  gallery: examples = Object.keys(small),
  elements,
}: Choice): AsyncGenerator<BundledProgram | LeftOut> {
  const [forward, mixed] = ORDERS.map((order) => recorderOn(cudaMachine(order)));
  for (const name of programs) yield conforming(name, forward);
  const pictures = mkdtempSync(join(tmpdir(), 'filigree-pictures-'));
  for (const name of examples) yield example(name, pictures, forward, mixed);
  rmSync(pictures, { recursive: true });
  if (elements === 0) return;
  for (const rate of rates(elements)) yield measured(rate, forward);
  yield* algebra(elements, forward);
  yield* fieldRates(elements, forward);
}

const ORDERS: readonly Order[] = ['forward', { seed: 20264 }];

/* The suite allows `ulps` between a backend and the interpreter, so twice that between two of them. */
const conforming = async (name: string, { backend, take }: Recorder): Promise<BundledProgram | LeftOut> => {
  const program = conformancePrograms().find((p) => p.name === name)!;
  const [{ run }] = conformance(backend, { programs: [program], threads: [1] });
  const outcome = await run();
  const recording = take();
  if (outcome.status === 'skipped') return { name, reason: outcome.reason };
  return {
    name,
    kind: 'conformance',
    recording,
    tolerance: (t) => (isFloat(t) ? `ulps ${2 * (program.ulps ?? 0)}` : 'ulps 0'),
  };
};

const example = async (
  name: string,
  pictures: string,
  forward: Recorder,
  mixed: Recorder,
): Promise<BundledProgram | LeftOut> => {
  const { args: given, dtype = 'f64' } = small[name];
  const args = withPictures(name, given, pictures);
  const runOn = async ({ backend, take }: Recorder): Promise<Recording | string> => {
    const common = { backend, threads: 1, seed: 3, bench: false, ablate: [], progress: () => undefined };
    try {
      const { check } = await gallery[name].run({ ...common, args, dtype });
      return check.passed === true ? untilLastRead(take()) : 'its check does not pass';
    } catch (e) {
      if (!(e instanceof DiagnosticError)) throw e;
      return e.diagnostics[0].message;
    } finally {
      take();
    }
  };
  const first = await runOn(forward);
  if (typeof first === 'string') return { name, reason: first };
  const second = await runOn(mixed);
  if (typeof second === 'string') return { name, reason: second };
  const reason = disagreement(first, second, RELATIVE);
  if (reason !== undefined) return { name, reason };
  return { name, kind: 'gallery', recording: first, tolerance: byRelative };
};

/* What is launched after it, over and over to be timed, as often as the clock says. */
const untilLastRead = ({ modules, steps }: Recording): Recording => ({
  modules,
  steps: steps.slice(0, steps.map((s) => s.call).lastIndexOf('read') + 1),
});

const isFloat = (t: DataType): boolean => t === 'f32' || t === 'f64';

/* Both ends of the result are looked at: the whole of it would have to be sent along. */
const measured = async (
  { name, module, fill, kernel, elements, bytes, result }: Rate,
  { backend, part, take }: Recorder,
): Promise<BundledProgram> => {
  const legal = orThrow(backend.legalize.run(module));
  const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
  const x = orThrow(await backend.load!(artifact, legal)());
  try {
    x.launch(fill, [elements]);
    part({ part: 'launch', calls: 'launches', amount: bytes, unit: 'bytes' }, () => x.launch(kernel, [elements]));
    const length = Math.min(elements, ENDS);
    for (const first of [0, elements - length]) x.buffer(result).read(new Float64Array(length), first);
    return { name, kind: 'rate', recording: take(), tolerance: () => 'ulps 0' };
  } finally {
    x.dispose();
    take();
  }
};

const ENDS = 4096;
