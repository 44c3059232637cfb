/** Lets so many work at the same time, the others in the order in which they came. */
export interface Limiter {
  /** Whether one more would have to wait. */
  readonly busy: () => boolean;
  readonly run: <A>(act: () => Promise<A>) => Promise<A>;
}

export const limiter = (most: number): Limiter => {
  const waiting: (() => void)[] = [];
  let working = 0;
  return {
    busy: () => working >= most,
    run: async (act) => {
      if (working >= most) await new Promise<void>((go) => waiting.push(go));
      else working++;
      try {
        return await act();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else working--;
      }
    },
  };
};
