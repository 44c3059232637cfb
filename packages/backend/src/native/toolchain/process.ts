import { checkOptions, option, type OptionSpec } from '@filigree/ir';
import { atExit } from './at-exit.js';
import { type Ended, inGroup } from './start.js';
import { startBySize } from './starter.js';

/** How a child process ended. */
export interface Finished extends Ended {
  /** Whether it exceeded its time limit and was killed. */
  readonly timedOut?: true;
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

/**
 * Runs a program until it ends, or until `limitMs` have passed, without a shell and with empty standard input. The
 * program and everything that it started are killed when this process exits. Rejects only where its options are wrong.
 */
export const runProcess = async (
  command: string,
  args: readonly string[],
  given?: ProcessChoices,
): Promise<Finished> => {
  const { limitMs, ...options } = checkOptions('runProcess', given, processSpec);
  let pid: number | undefined;
  let timedOut = false;
  const kill = (): void => {
    try {
      if (pid !== undefined) process.kill(inGroup ? -pid : pid, 'SIGKILL');
    } catch {
      /* It has ended. */
    }
  };
  const stop = (): void => {
    timedOut = true;
    kill();
  };
  const released = atExit(kill);
  const timer = limitMs === undefined ? undefined : setTimeout(stop, limitMs);
  const ended = await startBySize({ command, args, ...options }, (started) => {
    pid = started;
    if (timedOut) kill();
  });
  clearTimeout(timer);
  released();
  return { ...ended, ...(timedOut ? { timedOut } : {}) };
};

/** The first lines of what a program wrote about its failure, for a message. */
export const firstLines = (text: string, count = 8): string => {
  const lines = text.trimEnd().split('\n');
  return lines.length <= count
    ? lines.join('\n')
    : [...lines.slice(0, count), `… ${lines.length - count} more lines`].join('\n');
};
