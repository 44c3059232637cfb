import { spawn } from 'node:child_process';

/** How a child process ended. */
export interface Finished {
  /** Exit status; undefined when it was killed or never started. */
  readonly status?: number;
  readonly signal?: NodeJS.Signals;
  /** Why it could not be started, such as `ENOENT`. */
  readonly failure?: string;
  readonly stdout: string;
  readonly stderr: string;
}

/* Enough of a compiler's complaints for anyone; the rest is dropped so that a broken build cannot fill the memory. */
const mostOutput = 1 << 20;

/** Runs a program to its end with no shell and nothing on its standard input. Never rejects. */
export const runProcess = (
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): Promise<Finished> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, ...options });
    const out = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (out[stream].length < mostOutput) out[stream] += text;
      });
    }
    child.on('error', (e: NodeJS.ErrnoException) => resolve({ ...out, failure: e.code ?? e.message }));
    child.on('close', (status, signal) =>
      resolve({ ...out, ...(status === null ? {} : { status }), ...(signal === null ? {} : { signal }) }),
    );
  });

/** The first lines of a program's complaints, for a message. */
export const firstLines = (text: string, count = 8): string => {
  const lines = text.trimEnd().split('\n');
  return lines.length <= count
    ? lines.join('\n')
    : [...lines.slice(0, count), `… ${lines.length - count} more lines`].join('\n');
};
