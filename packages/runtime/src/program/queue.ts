/** Runs tasks one after the other, in the order in which they came; a task that fails does not stop the next. */
export interface Queue {
  /** The result of a task that is run when those before it are done. */
  readonly add: <A>(task: () => Promise<A>) => Promise<A>;
  /** Whether a task runs or waits. */
  readonly busy: () => boolean;
}

export const queue = (): Queue => {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    add: (task) => {
      waiting++;
      const done = last.then(task).finally(() => waiting--);
      last = done.catch(() => {});
      return done;
    },
    busy: () => waiting > 0,
  };
};
