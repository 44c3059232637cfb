/** A value that a place holds or held, and what whoever reads it by an acquire has seen then. */
interface Message {
  readonly value: number;
  readonly released: View | undefined;
  /** It was put right behind the one before it by a read-modify-write: nothing comes between. */
  readonly attached: boolean;
}

/** Of each place the latest message that is known to have been there. */
type View = ReadonlyMap<string, Message>;

/** One thread, as memory knows it. */
export interface Viewer {
  view: View;
  /** What an acquire fence would add, by messages read so far; what a release fence made known. */
  acquired: View;
  released: View | undefined;
}

export const newViewer = (): Viewer => ({ view: new Map(), acquired: new Map(), released: undefined });

/** Chooses one of so many, the first of which is what a machine without delays would do. */
export type Choose = (options: number) => number;

/**
 * Memory in which a place has a history, and threads see different ends of it: relaxed loads, stores and read-modify-writes, and fences that
 * order them, as C++ and GPUs have them. A thread never goes back at one place. Loads do not see what is written later.
 */
export class ViewMemory {
  private readonly histories = new Map<string, Message[]>();

  constructor(private readonly initial: (place: string) => number) {}

  load(t: Viewer, place: string, choose: Choose): number {
    const history = this.at(place);
    const seen = this.seen(t, place);
    const message = history[history.length - 1 - choose(history.length - seen)];
    this.see(t, place, message);
    return message.value;
  }

  store(t: Viewer, place: string, value: number, choose: Choose): void {
    const history = this.at(place);
    const places: number[] = [];
    for (let k = history.length; k > this.seen(t, place); k--) if (history[k]?.attached !== true) places.push(k);
    this.put(t, place, places[choose(places.length)], value, undefined, false);
  }

  /** Puts what `next` makes of the latest value there, unless it makes nothing; gives what was. */
  update(t: Viewer, place: string, next: (old: number) => number | undefined): number {
    const history = this.at(place);
    const before = history[history.length - 1];
    this.see(t, place, before);
    const value = next(before.value);
    if (value !== undefined) this.put(t, place, history.length, value, before.released, true);
    return before.value;
  }

  fence(t: Viewer, order: string): void {
    if (order !== 'release') t.view = this.join(t.view, t.acquired);
    if (order !== 'acquire') t.released = t.view;
  }

  /** What is there when all is done. */
  latest(place: string): number {
    return this.at(place).at(-1)!.value;
  }

  private at(place: string): Message[] {
    let history = this.histories.get(place);
    if (!history)
      this.histories.set(place, (history = [{ value: this.initial(place), released: undefined, attached: false }]));
    return history;
  }

  private seen(t: Viewer, place: string): number {
    const message = t.view.get(place);
    return message ? this.at(place).indexOf(message) : 0;
  }

  private see(t: Viewer, place: string, message: Message): void {
    t.view = new Map(t.view).set(place, message);
    if (message.released) t.acquired = this.join(t.acquired, message.released);
  }

  private put(t: Viewer, place: string, k: number, value: number, before: View | undefined, attached: boolean): void {
    const released = before && t.released ? this.join(before, t.released) : (before ?? t.released);
    const message: Message = { value, released, attached };
    this.at(place).splice(k, 0, message);
    t.view = new Map(t.view).set(place, message);
  }

  private join(a: View, b: View): View {
    const both = new Map(a);
    for (const [place, message] of b) {
      const [history, other] = [this.at(place), both.get(place)];
      if (!other || history.indexOf(other) < history.indexOf(message)) both.set(place, message);
    }
    return both;
  }
}
