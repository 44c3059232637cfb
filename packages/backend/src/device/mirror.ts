/** What a memory does for its mirrors: copies between a block and the host. */
export interface Copies {
  readonly read: (offset: number, into: Uint8Array) => void;
  readonly write: (offset: number, from: Uint8Array) => void;
}

/**
 * A block that the host does not see, as the host sees it: a copy of which only those pages are true that were asked for since the device
 * last ran. What the host then changes is found by comparison, and goes to the device before that does anything else.
 */
export interface Mirror {
  /** The whole block, to be made arrays of; what was not asked for holds anything. */
  readonly bytes: ArrayBuffer;
  /** How often the device may have changed something: as long as this is the same, so is what was looked at. */
  readonly age: () => number;
  /** Brings the bytes from `from` to below `to` up to date. */
  readonly look: (from: number, to: number) => void;
  /**
   * The same, where the host is going to write.
   *
   * @param end where that has written further, up to where, asked when it is done: what was there was zero
   */
  readonly change: (from: number, to: number, end?: () => number) => void;
}

/** From a byte to below another. */
export type Range = readonly [from: number, to: number];

/** A mirror, and what its memory does with it. */
export interface KeptMirror extends Mirror {
  /** What the host changed goes to the device. */
  readonly publish: () => void;
  /** The device has changed what is there: all of it, or the bytes of a range. */
  readonly outdate: (range?: Range) => void;
}

/** A mirror of a block of so many bytes. */
export const mirrorOf = (bytes: number, copies: Copies): KeptMirror => {
  const pages = Math.ceil(bytes / PAGE);
  const buffer = new ArrayBuffer(pages * PAGE);
  const current = new Set<number>();
  /* Of pages that the host may have changed, what the device has. */
  const before = new Map<number, Int32Array>();
  let age = 0;
  /* By the start of a range that grows, how far the device has it, and its end. */
  const grown = new Map<number, { sent: number; readonly end: () => number }>();

  const words = (page: number): Int32Array => new Int32Array(buffer, page * PAGE, PAGE / 4);
  const stretch = (first: number, end: number): Uint8Array =>
    new Uint8Array(buffer, first * PAGE, Math.min(end * PAGE, bytes) - first * PAGE);
  const sendChanged = (): void => {
    const changed = [...before].filter(([page, was]) => !same(was, words(page))).map(([page]) => page);
    changed.sort((a, b) => a - b);
    for (let k = 0; k < changed.length;) {
      const first = changed[k]!;
      let end = first + 1;
      for (k++; changed[k] === end; k++) end++;
      copies.write(first * PAGE, stretch(first, end));
    }
  };
  /* Of a page that nobody asked for the rest may be anything. */
  const sendGrown = (): void => {
    for (const growth of grown.values()) {
      const [from, to] = [growth.sent, growth.end()];
      growth.sent = Math.max(from, to);
      for (let page = pageOf(from); page * PAGE < to; page++) {
        const [first, last] = [Math.max(from, page * PAGE), Math.min(to, (page + 1) * PAGE)];
        if (!before.has(page) && first < last) copies.write(first, new Uint8Array(buffer, first, last - first));
      }
    }
  };
  const look = (from: number, to: number): void => {
    /* What the host wrote there is not to be overwritten by what the device has. */
    sendGrown();
    const end = pageEnd(to, pages);
    for (let first = pageOf(from); first < end; first++) {
      if (current.has(first)) continue;
      const begin = first;
      for (; first < end && !current.has(first); first++) current.add(first);
      copies.read(begin * PAGE, stretch(begin, first));
    }
  };
  return {
    bytes: buffer,
    age: () => age,
    look,
    change: (from, to, reached) => {
      look(from, to);
      if (reached) grown.set(from, { sent: to, end: reached });
      const end = pageEnd(to, pages);
      for (let page = pageOf(from); page < end; page++) if (!before.has(page)) before.set(page, words(page).slice());
    },
    publish: () => {
      sendChanged();
      sendGrown();
      before.clear();
      grown.clear();
    },
    outdate: (range) => {
      age++;
      if (!range) current.clear();
      else for (let page = pageOf(range[0]); page < pageEnd(range[1], pages); page++) current.delete(page);
    },
  };
};

const PAGE = 2 ** 14;

const pageOf = (byte: number): number => Math.floor(byte / PAGE);

const pageEnd = (to: number, pages: number): number => Math.min(pages, Math.ceil(to / PAGE));

const same = (a: Int32Array, b: Int32Array): boolean => {
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
};
