const tasks = new Set<() => void>();

/**
 * Does something synchronous when this process exits, unless the function returned is called before; also when a signal ends it that
 * nobody else listens to.
 */
export const atExit = (task: () => void): (() => void) => {
  if (tasks.size === 0) {
    process.on('exit', runAll);
    for (const signal of SIGNALS) process.on(signal, ended);
  }
  tasks.add(task);
  return () => {
    tasks.delete(task);
    if (tasks.size === 0) leave();
  };
};

/* Not SIGINT: the command line decides when it is heard. */
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

const runAll = (): void => {
  for (const task of tasks) task();
};

const leave = (): void => {
  process.off('exit', runAll);
  for (const signal of SIGNALS) process.off(signal, ended);
};

/* Whoever else listens decides whether the process ends; by `exit` if it does. */
const ended = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) > 1) return;
  runAll();
  leave();
  process.kill(process.pid, signal);
};
