/** Memory of a device that the host sees, and how it is let go of. */
export interface LastingViews {
  readonly view: (at: number, bytes: number) => ArrayBuffer;
  readonly release: (at: number) => void;
}

/**
 * Views of memory that stays for as long as anybody has one of them: who keeps a view of a program that was disposed of sees what was there, and
 * not memory that is another's.
 *
 * @param view gives a view of what begins at an address
 * @param release lets go of what begins there
 */
export const lastingViews = ({ view, release }: LastingViews): LastingViews => {
  const views = new Map<number, ArrayBuffer>();
  return {
    view: (at, bytes) => {
      const known = views.get(at) ?? view(at, bytes);
      views.set(at, known);
      return known;
    },
    release: (at) => {
      const seen = views.get(at);
      if (seen) unseen.register(seen, () => release(at));
      else release(at);
      views.delete(at);
    },
  };
};

/* Of all drivers: one that nobody has any more still has to let go of memory. */
const unseen = new FinalizationRegistry<() => void>((release) => release());
