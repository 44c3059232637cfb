import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { ChildJob, ChildResult } from './case-child.js';

/** The result of a child, or why there is none: `> 120 s`, or the last line of its complaint. */
export type Outcome<R> = { readonly result: R } | { readonly failed: string };
export type ChildOutcome = Outcome<ChildResult>;

/** Measures a job in a process of its own, so that its peak memory is its own and what users' processes hold. */
export const runChild = (job: ChildJob, seconds: number): Promise<ChildOutcome> =>
  runProcess('case-child', job, seconds, undefined, 'built');

/**
 * Runs a program of this folder on a job, both its argument and its answer JSON; the answer is its last line. It and the
 * compilers it started end after `seconds`. What it says on the way goes to `say`, a line at a time.
 *
 * @param packages whether those that it imports are run from their sources, as this one is (tests say otherwise by FILIGREE_NODE_FLAGS), or as
 *   whoever installs them runs them
 * @param flags of Node
 */
export const runProcess = <R>(
  program: string,
  job: unknown,
  seconds: number,
  say: (line: string) => void = () => undefined,
  packages: 'sources' | 'built' = 'sources',
  flags: readonly string[] = [],
): Promise<Outcome<R>> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, ...fileOf(program, packages), JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    let late = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err = (err + text).slice(-4000);
      for (const line of text.split('\n')) if (line.trim() !== '') say(line);
    });
    const timer = setTimeout(() => {
      late = true;
      // Asked to end, it ends its compilers too; while it computes it cannot hear, and has started none.
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 5000).unref();
    }, seconds * 1000);
    child.on('close', (code) => {
      clearTimeout(timer);
      const last = out.trimEnd().split('\n').at(-1) ?? '';
      if (late) resolve({ failed: `> ${seconds} s` });
      else if (code === 0 && last.startsWith('{')) resolve({ result: JSON.parse(last) as R });
      else resolve({ failed: firstError(err) ?? `ended with status ${code}` });
    });
  });

/** A program's file, and what Node needs to run it from sources. */
const fileOf = (program: string, packages: 'sources' | 'built'): readonly string[] => {
  const fromSources = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`./${program}.${fromSources ? 'ts' : 'js'}`, import.meta.url));
  if (!fromSources) return [file];
  if (packages === 'built') return [asJavaScript(file, program)];
  return [
    ...(process.env['FILIGREE_NODE_FLAGS']?.split(' ') ?? ['--conditions=@filigree/source', '--import', 'tsx']),
    file,
  ];
};

/**
 * A program of this folder as one file of JavaScript, that imports packages as they are installed: what runs TypeScript holds
 * 120 MB, which no user's process does.
 */
const asJavaScript = (file: string, program: string): string => {
  const outfile = fileURLToPath(new URL(`../dist/${program}.mjs`, import.meta.url));
  buildSync({
    entryPoints: [file],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
};

const firstError = (text: string): string | undefined =>
  text
    .split('\n')
    .find((line) => /error|out of memory/i.test(line))
    ?.trim()
    .slice(0, 120);
