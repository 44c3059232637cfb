import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '@filigree/backend';
import { conformance, conformancePrograms } from '@filigree/conformance';
import { gallery, small, withPictures } from '@filigree/e2e';
import { DiagnosticError } from 'filigree';
import { markdownTable, ms } from '../table.js';
import type { Kind, LeftOut } from './bundle/bundled-program.js';
import type { Choice } from './bundle/programs.js';
import { ratesBlocks } from './rates-blocks.js';
import type { GpuResult } from './results.js';

/** A program that ran on a device of this machine. */
export interface DirectResult {
  readonly name: string;
  readonly kind: Extract<Kind, 'conformance' | 'gallery'>;
  readonly passed: boolean;
  /** What was wrong. */
  readonly why: string;
  /** Of the whole program, compilers too. */
  readonly seconds: number;
}

/**
 * Runs conformance and the gallery on a device of this machine, in this process: for devices beside which there is Node always, so that no bundle is
 * wanted. Conformance is compared with the interpreter, examples by their own checks; what is refused by name is left out.
 *
 * @param dtype what examples compute in
 */
export async function* directResults(
  backend: Backend,
  dtype: 'f32' | 'f64',
  { conformance: programs, gallery: examples = Object.keys(small) }: Omit<Choice, 'elements'>,
): AsyncGenerator<DirectResult | LeftOut> {
  /* All of it has cases of what the contract says besides. */
  const chosen = programs && { programs: conformancePrograms().filter((p) => programs.includes(p.name)) };
  for (const { name, run } of conformance(backend, { ...chosen, threads: [1] }))
    yield tried(name, 'conformance', async () => {
      const outcome = await run();
      return outcome.status === 'passed' ? { passed: true } : { reason: outcome.reason };
    });
  const pictures = mkdtempSync(join(tmpdir(), 'filigree-pictures-'));
  try {
    for (const name of examples) yield tried(name, 'gallery', () => example(name, backend, dtype, pictures));
  } finally {
    rmSync(pictures, { recursive: true });
  }
}

type Found = { readonly passed: boolean } | { readonly reason: string };

const tried = async (
  name: string,
  kind: DirectResult['kind'],
  run: () => Promise<Found>,
): Promise<DirectResult | LeftOut> => {
  const began = performance.now();
  const result = (passed: boolean, why: string): DirectResult => ({
    ...{ name, kind, passed, why },
    seconds: (performance.now() - began) / 1e3,
  });
  try {
    const found = await run();
    return 'reason' in found
      ? { name, reason: found.reason }
      : result(found.passed, found.passed ? '' : 'its check does not pass');
  } catch (e) {
    return result(false, (e instanceof Error ? e.message : String(e)).split('\n')[0]);
  }
};

const example = async (name: string, backend: Backend, dtype: 'f32' | 'f64', out: string): Promise<Found> => {
  const args = withPictures(name, small[name].args, out);
  const common = { backend, threads: 1, seed: 3, bench: false, ablate: [], progress: () => undefined };
  try {
    const { check } = await gallery[name].run({ ...common, args, dtype });
    return { passed: check.passed === true };
  } catch (e) {
    /* What a language lacks is refused before anything runs. */
    if (e instanceof DiagnosticError && REFUSED.test(e.diagnostics[0].code))
      return { reason: e.diagnostics[0].message };
    throw e;
  }
};

const REFUSED = /^(emit\/unsupported-|pairs\/)/;

/** Where the results come from. */
export interface DirectDevice {
  readonly name: string;
  /** What kernels are written in, and by which compiler: `the Metal Shading Language, compiled by …`. */
  readonly written: string;
  readonly commit: string;
}

/** The page of such results, as Markdown. */
export const directPage = (
  { name, written, commit }: DirectDevice,
  found: readonly (DirectResult | GpuResult | LeftOut)[],
  command: string,
): string => {
  const results = found.filter((r): r is DirectResult | GpuResult => !('reason' in r));
  const leftOut = found.filter((r): r is LeftOut => 'reason' in r);
  const measured = results.filter((r): r is GpuResult => 'parts' in r);
  const wrong = results.filter((r) => !r.passed);
  const blocks = [
    `# On a GPU: ${name}`,
    `Made by\n\n\`\`\`sh\n${command}\n\`\`\``,
    `Kernels of commit ${commit}, as ${written}. Conformance is compared with the interpreter, examples by their own checks.`,
    ...(measured.length > 0 ? ratesBlocks(measured, NOTES) : []),
    '## Programs',
    markdownTable({
      head: ['programs', 'right', 'wrong', 'time of all, with compilers'],
      rows: (['conformance', 'gallery'] as const).map((kind) => {
        const of = results.filter((r) => r.kind === kind);
        const seconds = of.reduce((sum, r) => sum + r.seconds, 0);
        const right = of.filter((r) => r.passed).length;
        return [kind, String(right), String(of.length - right), `${ms(1e3 * seconds)} ms`];
      }),
    }),
    ...(wrong.length > 0
      ? ['## Wrong', markdownTable({ head: ['program', 'what'], rows: wrong.map((r) => [r.name, r.why]) })]
      : []),
    ...(leftOut.length > 0
      ? ['## Not run', markdownTable({ head: ['program', 'why'], rows: leftOut.map((l) => [l.name, l.reason]) })]
      : []),
  ];
  return `${blocks.join('\n\n')}\n`;
};

const NOTES = {
  rates: {
    notes: [
      '- Times are medians, of launches by the clock of the device where it has one; all others by this process, which waits.',
    ],
  },
  algebra: {
    notes: [
      '- values: the numbers of the result, on the device; whole: besides, those of the matrices are sent, and those of the result read.',
    ],
  },
};
