import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApplicationName } from '../fields/applications.js';
import { quantile } from '../measure.js';
import { printedByPython } from '../python-script.js';
import { runProcess } from '../run-child.js';
import type { Start, StartJob } from './start-child.js';

/** What it takes to begin with an application, each time in a process of its own; medians, in milliseconds. */
export interface MeasuredStart {
  readonly name: ApplicationName;
  /** With an empty cache. */
  readonly cold: number;
  /** The same where the engine optimises as late as under the command line (docs/decisions/command-line.md). */
  readonly coldAsCommand: number;
  /** After another process, and what the processor did meanwhile. */
  readonly warm: Start;
  /** Taichi with an empty cache, or why there is no time. */
  readonly peer: { readonly version: string; readonly ms: number } | string;
}

/** Measures how an application begins, on one thread. Throws where a process does not. */
export const measureStart = async (
  name: ApplicationName,
  { backend, python }: { readonly backend: string | undefined; readonly python: string },
): Promise<MeasuredStart> => {
  const folders: string[] = [];
  const begin = async (cache: string, flags: readonly string[] = []): Promise<Start> => {
    const job: StartJob = { name, cache, ...(backend === undefined ? {} : { backend }) };
    const outcome = await runProcess<Start>('sched/start-child', job, SECONDS, undefined, 'built', flags);
    if ('failed' in outcome) throw new Error(`${name}: ${outcome.failed}`);
    return outcome.result;
  };
  try {
    const empty = (): string => {
      const folder = mkdtempSync(join(tmpdir(), 'filigree-start-'));
      folders.push(folder);
      return folder;
    };
    const [cold, coldAsCommand]: [number[], number[]] = [[], []];
    for (let k = 0; k < COLD; k++) {
      cold.push((await begin(empty())).ms);
      coldAsCommand.push((await begin(empty(), AS_COMMAND)).ms);
    }
    const warm: Start[] = [];
    for (let k = 0; k < WARM; k++) warm.push(await begin(folders[0]));
    return {
      name,
      cold: quantile(cold, 0.5),
      coldAsCommand: quantile(coldAsCommand, 0.5),
      warm: {
        ms: quantile(
          warm.map((w) => w.ms),
          0.5,
        ),
        cpuMs: quantile(
          warm.map((w) => w.cpuMs),
          0.5,
        ),
      },
      peer: peerOf(name, python),
    };
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
};

const peerOf = (name: ApplicationName, python: string): MeasuredStart['peer'] => {
  const found: { readonly version: string; readonly ms: number }[] = [];
  for (let k = 0; k < COLD; k++) {
    const printed = printedByPython<(typeof found)[number]>(python, 'cold_start.py', [name]);
    if ('why' in printed) return printed.why;
    found.push(printed.found);
  }
  return {
    ...found[0],
    ms: quantile(
      found.map(({ ms }) => ms),
      0.5,
    ),
  };
};

/** What `filigree` tells the engine when it starts. */
const AS_COMMAND = ['--interrupt-budget=540672'];

/** Processes of a median. */
const [COLD, WARM] = [3, 5];

const SECONDS = 120;
