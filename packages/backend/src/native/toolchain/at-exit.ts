const tasks = new Set<() => void>();

/** Does something synchronous when this process exits, unless the function returned is called before. */
export const atExit = (task: () => void): (() => void) => {
  if (tasks.size === 0) process.on('exit', runAll);
  tasks.add(task);
  return () => {
    tasks.delete(task);
    if (tasks.size === 0) process.off('exit', runAll);
  };
};

const runAll = (): void => {
  for (const task of tasks) task();
};
