import { plus, scaled, times } from '../notation/build.js';
import type { Assignment, Expr, KernelDecl, LayoutKind, TensorDecl } from '../notation/expression.js';

/** A kernel to test compilers with, and numbers to run it on. */
export interface RandomKernel {
  readonly decl: KernelDecl;
  /** Entries of all tensors whose values are not known: small whole numbers, so that sums are exact. */
  readonly values: Readonly<Record<string, Float64Array>>;
  readonly scalars: Readonly<Record<string, number>>;
}

/**
 * A random kernel: one or two assignments of sums of products, up to 5 factors and 6 indices each, with sparse patterns, all
 * layouts, known values, sums as factors, diagonals, and scalars; the second may read what the first assigned, and each what it
 * assigns itself, transposed too. The same seed gives the same kernel.
 *
 * @param most the largest extent of an index
 */
export const randomKernel = (seed: number, most = 5): RandomKernel => new Generator(seed, most).kernel();

const LETTERS = 'abcdef';
const LAYOUTS: readonly (LayoutKind | undefined)[] = [undefined, 'dense', 'box', 'aligned', 'compressed', 'csc'];

class Generator {
  private state: number;
  private readonly extents: Readonly<Record<string, number>>;
  private readonly values: Record<string, Float64Array> = {};
  private readonly scalars: Record<string, number> = {};
  private tensors = 0;

  constructor(seed: number, most: number) {
    this.state = (seed ^ 0x5bd1e995) >>> 0;
    this.extents = Object.fromEntries([...LETTERS].map((l) => [l, 1 + this.below(most)]));
  }

  kernel(): RandomKernel {
    const letters = this.some(LETTERS, 0.4).slice(0, 3);
    const target = this.tensor(this.shuffled(letters), 1, false);
    const first = this.assignment(target, letters, []);
    const assignments = [first];
    if (this.chance(0.4)) {
      const other = this.some(LETTERS, 0.3).slice(0, 2);
      assignments.push(this.assignment(this.tensor(this.shuffled(other), 1, false), other, [first.target]));
    }
    return { decl: { name: 'random', assignments }, values: this.values, scalars: this.scalars };
  }

  private assignment(
    target: Assignment['target'],
    letters: string,
    readable: readonly Assignment['target'][],
  ): Assignment {
    const own = { ...target, indices: this.shuffled(target.indices) };
    const fits = this.sameShape(own, target);
    const known = fits && this.chance(0.2) ? [...readable, own] : readable;
    const terms = Array.from({ length: 1 + this.below(2) }, () => this.term(letters, known));
    if (fits && this.chance(0.2)) terms.unshift({ kind: 'indexed', ...own });
    return { target, add: this.chance(0.4), value: terms.reduce(plus) };
  }

  /** A product that has these indices free; others stand in two factors or three, or in one alone. */
  private term(free: string, readable: readonly Assignment['target'][]): Expr {
    const own = Array.from({ length: 1 + this.below(5 - readable.length) }, () => '');
    const place = (l: string, times: number): void => {
      const at = this.below(own.length);
      own[at] += this.chance(0.1) ? l + l : l;
      for (let n = 1; n < Math.min(times, own.length); n++) own[(at + n) % own.length] += l;
    };
    /* What is read as it stands brings its indices along. */
    const known = readable.filter(() => this.chance(0.6));
    const brought = known.map((t) => t.indices).join('');
    for (const l of free) if (!brought.includes(l)) place(l, 1 + this.below(2));
    for (const l of this.some(LETTERS, 0.5))
      if (!free.includes(l)) place(l, (brought.includes(l) ? 1 : 2) + this.below(2));
    const factors = [
      ...own.map((indices) => this.factor(this.shuffled(indices))),
      ...known.map((t): Expr => ({ kind: 'indexed', ...t })),
    ];
    const factor = [1, -1, 0.5, 2][this.below(4)]!;
    const scalars = this.chance(0.3) ? [this.scalar()] : [];
    return scaled({ factor, scalars }, factors.reduce(times));
  }

  private factor(indices: string): Expr {
    const one = (): Expr => ({
      kind: 'indexed',
      ...this.tensor(indices, [1, 0.6, 0.25][this.below(3)]!, this.chance(0.3)),
    });
    return this.chance(0.15) ? plus(one(), one()) : one();
  }

  private sameShape(a: Assignment['target'], b: Assignment['target']): boolean {
    return [...a.indices].every((l, d) => this.extents[l] === this.extents[b.indices[d]!]);
  }

  private tensor(indices: string, density: number, known: boolean): Assignment['target'] {
    const shape = [...indices].map((l) => this.extents[l]!);
    const size = shape.reduce((n, x) => n * x, 1);
    const bits = Uint8Array.from({ length: size }, () => (this.chance(density) ? 1 : 0));
    const entries = Float64Array.from(bits, (b) => b * (1 + this.below(8)));
    const drawn = LAYOUTS[this.below(LAYOUTS.length)];
    const layout = drawn === 'csc' && shape.length !== 2 ? 'compressed' : drawn;
    const name = `T${this.tensors++}`;
    const tensor: TensorDecl = {
      name,
      shape,
      ...(density < 1 ? { pattern: { shape, bits } } : {}),
      ...(known ? { values: entries } : {}),
      ...(layout ? { layout } : {}),
    };
    if (!known) this.values[name] = entries;
    return { tensor, indices };
  }

  private scalar(): string {
    const name = `s${this.below(2)}`;
    this.scalars[name] ??= 1 + this.below(4);
    return name;
  }

  private some(letters: string, share: number): string {
    return [...letters].filter(() => this.chance(share)).join('');
  }

  private shuffled(letters: string): string {
    return [...letters]
      .map((l) => [this.random(), l] as const)
      .sort((a, b) => a[0] - b[0])
      .map(([, l]) => l)
      .join('');
  }

  private chance(p: number): boolean {
    return this.random() < p;
  }

  private below(n: number): number {
    return Math.floor(this.random() * n);
  }

  private random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
}
