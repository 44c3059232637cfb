import { spawn } from 'node:child_process';

/** A program that is to run. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** How a child process ended. */
export interface Ended {
  /** Exit status; undefined when it was killed or never started. */
  readonly status?: number;
  /** Such as `SIGKILL`. */
  readonly signal?: string;
  /** Why it could not be started, such as `ENOENT`. */
  readonly failure?: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a program without a shell and with empty standard input; says its number once it runs, and how it ended. */
export type Start = (program: Program, started: (pid: number) => void) => Promise<Ended>;

/** In a group of its own: a compiler's driver leaves the work to others, which would outlive it. */
export const inGroup = process.platform !== 'win32';

/** Enough of a compiler's complaints for anyone; the rest is dropped so that a broken build cannot fill the memory. */
export const MOST_OUTPUT = 1 << 20;

/** As a child of this process. */
export const startHere: Start = ({ command, args, ...options }, started) =>
  new Promise((resolve) => {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { stdio, windowsHide: true, detached: inGroup, ...options });
    if (child.pid !== undefined) started(child.pid);
    const out = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (out[stream].length < MOST_OUTPUT) out[stream] += text;
      });
    }
    child.on('error', (e: NodeJS.ErrnoException) => resolve({ ...out, failure: e.code ?? e.message }));
    child.on('close', (status, signal) =>
      resolve({ ...out, ...(status === null ? {} : { status }), ...(signal === null ? {} : { signal }) }),
    );
  });
