import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChildJob, ChildResult } from './case-child.js';

/** The result of a child, or why there is none: `> 120 s`, or the last line of its complaint. */
export type ChildOutcome = { readonly result: ChildResult } | { readonly failed: string };

/**
 * Measures a job in a process of its own, so that its peak memory is its own. It and the compilers it started end
 * after `seconds`.
 */
export const runChild = (job: ChildJob, seconds: number): Promise<ChildOutcome> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [...CHILD, JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    let late = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err = (err + text).slice(-4000)));
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
      else if (code === 0 && last.startsWith('{')) resolve({ result: JSON.parse(last) as ChildResult });
      else resolve({ failed: firstError(err) ?? `ended with status ${code}` });
    });
  });

/** The child's file, and what Node needs to run it from sources. */
const CHILD = import.meta.url.endsWith('.ts')
  ? ['--conditions=@filigree/source', '--import', 'tsx', fileURLToPath(new URL('./case-child.ts', import.meta.url))]
  : [fileURLToPath(new URL('./case-child.js', import.meta.url))];

const firstError = (text: string): string | undefined =>
  text
    .split('\n')
    .find((line) => /error|out of memory/i.test(line))
    ?.trim()
    .slice(0, 120);
