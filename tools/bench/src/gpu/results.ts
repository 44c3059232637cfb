import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '@filigree/ir';
import type { Kind } from './bundle/bundled-program.js';
import type { Part } from './bundle/recording.js';
import { VERSION } from './bundle/write-bundle.js';

/** What the runner of a bundle found on a device. */
export interface GpuResults {
  readonly version: number;
  /** What the bundle was made of. */
  readonly commit: string;
  readonly device: {
    readonly name: string;
    readonly architecture: string;
    readonly processors: number;
    readonly driver: number;
    /** Bytes read and written in a second by the driver's own copy. */
    readonly copy: number;
  };
  /** How many programs the bundle has. */
  readonly programs: number;
  readonly results: readonly GpuResult[];
}

export interface GpuResult {
  readonly name: string;
  readonly kind: Kind;
  readonly passed: boolean;
  /** What was wrong. */
  readonly why: string;
  /** Of the whole program, each call once. */
  readonly seconds: number;
  /** What was measured by itself, the seconds of one time. */
  readonly parts: readonly (Omit<Part, 'calls'> & { readonly seconds: number })[];
}

/** Seconds that another library takes, by the name of a program, or of a part: `power-2 whole`. */
export interface Baselines {
  readonly library: string;
  readonly seconds: Readonly<Record<string, number>>;
}

/** Reads `baselines.json` of a folder, if it is there. Error: `gpu/results` where it is none. */
export const readBaselines = (folder: string): Baselines | undefined => {
  const file = join(folder, 'baselines.json');
  if (!existsSync(file)) return undefined;
  const given = parsed(readFileSync(file, 'utf8')) as Partial<Baselines> | undefined;
  const { library, seconds } = given ?? {};
  if (typeof library === 'string' && seconds && Object.values(seconds).every((s) => typeof s === 'number'))
    return { library, seconds };
  return fail('gpu/results', `${file} is not what baselines.py writes`, {
    remedy: 'run `python3 baselines.py` in the folder again, or remove the file',
  });
};

/** Reads `results.json` of a folder. Errors: `gpu/results` where it is missing, broken or ends early, `gpu/version`. */
export const readResults = (folder: string): GpuResults => {
  const file = join(folder, 'results.json');
  const broken = (what: string, remedy: string): never => fail('gpu/results', `${file} ${what}`, { remedy });
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    broken('cannot be read', 'run `sh run.sh` in the folder on a machine with a GPU, then import it');
  }
  const given = parsed(text);
  if (given === undefined)
    return broken(
      'ends early, or is no JSON',
      'let the runner come to its end: its last line says how many programs ran',
    );
  if (given.version !== VERSION)
    return fail('gpu/version', `${file} is of version ${String(given.version)}, and this reads version ${VERSION}`, {
      remedy: 'make the bundle and its results by the same commit as the page',
    });
  if (!complete(given))
    return broken('lacks what the runner writes', 'give the file as the runner of the bundle wrote it');
  if (given.results.length !== given.programs)
    return broken(`ends after ${given.results.length} of ${given.programs} programs`, 'let the runner come to its end');
  return given;
};

const parsed = (text: string): (Partial<GpuResults> & object) | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const complete = (given: Partial<GpuResults>): given is GpuResults => {
  const { commit, device, programs, results } = given;
  const numbers = [programs, device?.processors, device?.driver, device?.copy];
  const texts = [commit, device?.name, device?.architecture];
  return (
    numbers.every((n) => typeof n === 'number') &&
    texts.every((t) => typeof t === 'string') &&
    Array.isArray(results) &&
    results.every(
      (r) =>
        KINDS.includes(r.kind) && typeof r.name === 'string' && typeof r.passed === 'boolean' && Array.isArray(r.parts),
    )
  );
};

const KINDS: readonly unknown[] = ['conformance', 'gallery', 'rate', 'algebra', 'fields'] satisfies readonly Kind[];
