import { checkOptions, option, type OptionSpec } from '@filigree/ir';
import { spawn } from 'node:child_process';
import { atExit } from './at-exit.js';

/** How a child process ended. */
export interface Finished {
  /** Exit status; undefined when it was killed or never started. */
  readonly status?: number;
  /** Such as `SIGKILL`. */
  readonly signal?: string;
  /** Whether it exceeded its time limit and was killed. */
  readonly timedOut?: true;
  /** Why it could not be started, such as `ENOENT`. */
  readonly failure?: string;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProcessChoices {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limitMs?: number;
}

const processSpec: OptionSpec<ProcessChoices> = {
  cwd: option.text,
  env: option.object('an environment such as process.env'),
  limitMs: option.number(0),
};

/* Enough of a compiler's complaints for anyone; the rest is dropped so that a broken build cannot fill the memory. */
const mostOutput = 1 << 20;

/**
 * Runs a program until it ends, or until `limitMs` have passed, without a shell and with empty standard input. The
 * program and everything that it started are killed when this process exits. Rejects only where its options are wrong.
 */
export const runProcess = (command: string, args: readonly string[], given?: ProcessChoices): Promise<Finished> =>
  new Promise((resolve) => {
    const { limitMs, ...options } = checkOptions('runProcess', given, processSpec);
    /* In a group of its own: a compiler's driver leaves the work to others, which would outlive it. */
    const detached = process.platform !== 'win32';
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { stdio, windowsHide: true, detached, ...options });
    const out = { stdout: '', stderr: '' };
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(detached ? -child.pid : child.pid, 'SIGKILL');
      } catch {
        /* It has ended. */
      }
    };
    const released = atExit(kill);
    let timedOut = false;
    const stop = (): void => {
      timedOut = true;
      kill();
    };
    const timer = limitMs === undefined ? undefined : setTimeout(stop, limitMs);
    const finish = (end: Partial<Finished>): void => {
      clearTimeout(timer);
      released();
      resolve({ ...out, ...end, ...(timedOut ? { timedOut } : {}) });
    };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (out[stream].length < mostOutput) out[stream] += text;
      });
    }
    child.on('error', (e: NodeJS.ErrnoException) => finish({ failure: e.code ?? e.message }));
    child.on('close', (status, signal) =>
      finish({ ...(status === null ? {} : { status }), ...(signal === null ? {} : { signal }) }),
    );
  });

/** The first lines of what a program wrote about its failure, for a message. */
export const firstLines = (text: string, count = 8): string => {
  const lines = text.trimEnd().split('\n');
  return lines.length <= count
    ? lines.join('\n')
    : [...lines.slice(0, count), `… ${lines.length - count} more lines`].join('\n');
};
