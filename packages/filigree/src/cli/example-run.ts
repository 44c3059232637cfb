import { peakRssMB } from '@filigree/runtime';
import { join } from 'node:path';
import type { Sources } from '@filigree/backend';
import { addLosses, type Loss } from '@filigree/quant';
import {
  DiagnosticError,
  error,
  fail,
  formatDiagnostic,
  type Arithmetic,
  type Diagnostic,
  type Diagnostics,
} from '@filigree/ir';
import { ABLATIONS, parseAblation } from '../api/ablation.js';
import { FIELD_ABLATIONS, GRAPH_PASSES } from '../api/field-ablation.js';
import type { ExampleOptions, ExampleResult } from '../gallery.js';
import { chosenBackend } from './backend-of.js';
import type { CommonOptions } from './common-options.js';
import { CompileRecord } from './compile-record.js';
import { exampleOf, loadGallery } from './load-gallery.js';
import type { Session } from './session.js';
import { writeSources } from './write-sources.js';

export interface ExampleRunOptions extends CommonOptions {
  readonly bench?: boolean;
  readonly ablate?: string;
  readonly arithmetic?: Arithmetic;
}

/** What an example found; the JSON document of `filigree run`. */
export interface ExampleSummary extends ExampleResult {
  readonly example: string;
  readonly rows: readonly string[];
  readonly backend: string;
  readonly dtype: 'f32' | 'f64';
  readonly threads: number;
  readonly memoryMB: number;
  readonly wallMs: number;
  /** What its programs lost where they store numbers in few bits, where that was asked for. */
  readonly losses?: readonly ProgramLosses[];
}

/** What a program lost, in all that were made by one name. */
export interface ProgramLosses {
  readonly program: string;
  readonly places: readonly Loss[];
}

/** Runs an example of the gallery. Throws `DiagnosticError`. */
export const runExample = async (
  name: string,
  args: Readonly<Record<string, string>>,
  options: ExampleRunOptions,
  session: Session,
  inspecting?: Pick<ExampleOptions, 'draw'> & { readonly record: CompileRecord },
): Promise<ExampleSummary> => {
  const example = exampleOf(await loadGallery(), name);
  if (options.arithmetic !== undefined && example.traced !== true)
    fail('run/arithmetic', `'${name}' compiles no traced program, to which --arithmetic applies`, {
      remedy: 'leave out --arithmetic',
    });
  const ablated = parseAblation(options.ablate ?? '', [
    ...Object.keys(ABLATIONS),
    ...Object.keys(FIELD_ABLATIONS),
    ...GRAPH_PASSES,
  ]);
  const record = inspecting?.record ?? (options.emit === undefined ? undefined : new CompileRecord());
  const { backend, extensions } = await chosenBackend(options, session, record);
  const emitted: [string, Sources][] = [];
  const counted: [string, () => readonly Loss[]][] = [];
  const unheard = onceEach();
  const started = performance.now();
  const write = async (): Promise<void> => {
    for (const [program, sources] of emitted) record?.name(program, sources);
    if (options.emit === undefined) return;
    const unnamed = record!.programs.filter((p) => p.name === undefined);
    const all = [...emitted, ...unnamed.map(({ sources }, k) => [`${name} ${k + 1}`, sources] as const)];
    for (const [program, sources] of all)
      await writeSources(join(options.emit, program.replace(/[^\w.-]+/g, '-')), sources);
  };
  const running = example.run({
    args,
    backend,
    extensions,
    dtype: options.dtype,
    arithmetic: options.arithmetic,
    threads: options.threads,
    seed: options.seed,
    bench: options.bench ?? false,
    ablate: ablated,
    /* A program that was found in the cache would be lowered again to tell its sources. */
    ...(record && { emit: (program: string, sources: Sources) => void emitted.push([program, sources]) }),
    ...(inspecting && { draw: inspecting.draw, losses: (program, losses) => counted.push([program, losses]) }),
    warn: (warnings) => session.warn(unheard(warnings)),
    progress: (fraction, text) => void session.progress.at(fraction, text),
  });
  /* Sources for a device that is not here are there although nothing runs. */
  const result = await running.catch(async (e: unknown) => {
    if (e instanceof DiagnosticError && e.diagnostics[0]!.code === 'run/emitted') await write();
    throw e;
  });
  const wallMs = performance.now() - started;
  await write();
  return {
    example: name,
    rows: example.rows,
    ...result,
    backend: backend.name,
    dtype: options.dtype,
    threads: options.threads,
    memoryMB: peakRssMB(),
    wallMs,
    ...(counted.length > 0 && { losses: lossesOf(counted) }),
  };
};

/** Places where something was stored, by the names of programs that have such. */
const lossesOf = (counted: readonly (readonly [string, () => readonly Loss[]])[]): readonly ProgramLosses[] => {
  const all = new Map<string, readonly Loss[]>();
  for (const [program, losses] of counted) all.set(program, addLosses(all.get(program) ?? [], losses()));
  return [...all]
    .map(([program, losses]) => ({ program, places: losses.filter(({ stores }) => stores > 0) }))
    .filter(({ places }) => places.length > 0);
};

/** Leaves out what it has seen: examples compile their programs several times, for checks. */
const onceEach = (): ((warnings: Diagnostics) => Diagnostics) => {
  const heard = new Set<string>();
  return (warnings) =>
    warnings.filter((d) => {
      const text = formatDiagnostic(d);
      return !heard.has(text) && heard.add(text);
    });
};

/** What is wrong with an example whose check failed. */
export const wrongExample = ({ check, example }: ExampleSummary): Diagnostic | undefined =>
  check.passed
    ? undefined
    : error('run/check', `the check of example '${example}' failed${check.why === undefined ? '' : `: ${check.why}`}`, {
        remedy:
          check.why === undefined
            ? 'its numbers are not to be trusted; please report it with the arguments'
            : 'give other arguments',
      });
