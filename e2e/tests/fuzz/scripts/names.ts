import type { Draw } from '../draw.js';

/** What a name of a script stands for: numbers, and what JavaScript has besides, of the script's own or of its surroundings. */
export type Kind =
  | 'int'
  | 'number'
  | 'truth'
  | 'object'
  | 'text'
  | 'maybe'
  | 'list'
  | 'record'
  | 'records'
  | 'function';

export interface Name {
  readonly name: string;
  readonly kind: Kind;
  /** Whether the script assigns to it. */
  readonly changes?: boolean;
  /** Of a list: how many items it has, a power of two. */
  readonly length?: number;
}

/** The names that can be used at one place of a script; a block adds to a copy. */
export class Names {
  constructor(
    readonly d: Draw,
    private readonly known: Name[],
    private readonly count: { of: number },
  ) {}

  within(): Names {
    return new Names(this.d, [...this.known], this.count);
  }

  /** The same, of which none is assigned to: what a function sees. */
  asSeen(): Names {
    const seen = this.known.filter(({ kind }) => kind !== 'function');
    return new Names(
      this.d,
      seen.map((name) => ({ ...name, changes: false })),
      this.count,
    );
  }

  fresh(): string {
    return `v${this.count.of++}`;
  }

  add(name: Name): Name {
    this.known.push(name);
    return name;
  }

  one(...kinds: readonly Kind[]): Name | undefined {
    return this.drawn((name) => kinds.includes(name.kind));
  }

  changing(...kinds: readonly Kind[]): Name | undefined {
    return this.drawn(({ kind, changes }) => changes === true && kinds.includes(kind));
  }

  get all(): readonly Name[] {
    return this.known;
  }

  private drawn(suits: (name: Name) => boolean): Name | undefined {
    const found = this.known.filter(suits);
    return found.length > 0 ? this.d.of(found) : undefined;
  }
}
