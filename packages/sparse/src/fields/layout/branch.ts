import { fail, checkOptions, describeValue, option } from '@filigree/ir';
import { areAxes, axisName, type Axes } from './axes.js';
import { inWords } from './bit-array.js';
import { checkWord, placesOf, type Placeable, type PlaceSpec, type WordBits } from './format.js';

/** A structural node as it is written down: how one level of the hierarchy stores its cells. */
export interface NodeSpec {
  readonly kind: 'dense' | 'hash' | 'dynamic' | 'bits';
  readonly axes: Axes;
  /** Cells along each of `axes`; for `dynamic`, the most there can be. */
  readonly extents: readonly number[];
  readonly pointer: boolean;
  readonly bitmasked: boolean;
  readonly morton: boolean;
  /** Most cells that can be active at once, where cells are allocated one by one; as memory allows if absent. */
  readonly cells: number | undefined;
  /** Bits of a word, for `bits`. */
  readonly word?: WordBits | undefined;
}

/** How much room to reserve for cells that are allocated one by one. */
export interface PoolOptions {
  /** Most cells that can be active at once. */
  readonly cells?: number;
}

/**
 * A branch of a layout: structural nodes nested in one another, and below the innermost of them fields and further
 * branches. Branches are values: every method gives a new one, so that a part can be used in several layouts.
 */
export class Branch {
  private constructor(
    readonly path: readonly NodeSpec[],
    readonly places: readonly PlaceSpec[],
    readonly forks: readonly Branch[],
  ) {}

  /** A branch of one node. Users begin with `dense`, `hash` or `dynamic`. */
  static of(spec: NodeSpec): Branch {
    return new Branch([spec], [], []);
  }

  /** A branch from all its parts, which suit each other. */
  static whole(path: readonly NodeSpec[], places: readonly PlaceSpec[], forks: readonly Branch[]): Branch {
    return new Branch(path, places, forks);
  }

  /** A fixed-size array in each cell of the innermost node. */
  dense(axes: Axes, extents: number | readonly number[]): Branch {
    return this.nest(nodeSpec('dense', axes, extents));
  }

  /** A hash table: for coordinates far apart, and below zero. */
  hash(axes: Axes, extents: number | readonly number[], options?: PoolOptions): Branch {
    return this.nest(nodeSpec('hash', axes, extents, options));
  }

  /** A list of at most `most` cells, along one axis. */
  dynamic(axis: Axes, most: number): Branch {
    return this.nest(nodeSpec('dynamic', axis, most));
  }

  /**
   * Elements of few bits, packed in words of 8, 16, 32 or 64, as many in each as fit: `bitArray(j, 256, 64).place(stored(u, int(1)))`.
   * It holds fields of one width that say how they are stored, and no nodes. Errors, where fields are placed: `layout/bit-array`.
   */
  bitArray(axes: Axes, extents: number | readonly number[], bits: WordBits): Branch {
    return this.nest(arraySpec(axes, extents, bits));
  }

  /** Stores the cells of the innermost node one by one when they become active, and pointers in their place. */
  pointer(options?: PoolOptions): Branch {
    return this.decorate({ pointer: true, cells: checkedCells('pointer', options) }, ['dense', 'dynamic']);
  }

  /** Keeps a bit for each cell of the innermost node that says whether it is active. */
  bitmasked(): Branch {
    return this.decorate({ bitmasked: true }, ['dense']);
  }

  /** Stores the cells of the innermost node along a Z-order curve. */
  morton(): Branch {
    const { extents } = this.innermost();
    if (extents.some((n) => n !== extents[0] || !isPowerOfTwo(n)))
      fail('layout/morton', `a Z-order curve needs equal extents that are powers of two, not ${extents.join(' × ')}`, {
        remedy: 'round the extents up, or leave morton() out',
      });
    return this.decorate({ morton: true }, ['dense']);
  }

  /**
   * Puts fields into each cell of the innermost node, side by side; of a vector or matrix field, all components. `stored` says of
   * one how it is stored, and `bitStruct` of several that they share a word.
   */
  place(...fields: readonly Placeable[]): Branch {
    const innermost = this.innermost();
    if (innermost.kind !== 'bits')
      return new Branch(this.path, [...this.places, ...fields.flatMap(placesOf)], this.forks);
    const { words, elements, places } = inWords({ ...innermost, word: innermost.word! }, this.places, fields);
    const around: readonly NodeSpec[] = words ? [{ ...innermost, ...words, kind: 'dense', word: undefined }] : [];
    return new Branch([...this.path.slice(0, -1), ...around, { ...innermost, ...elements }], places, []);
  }

  /** Puts several branches into each cell of the innermost node, one after the other. */
  fork(...branches: readonly Branch[]): Branch {
    if (branches.length > 0) this.checkHolds();
    return new Branch(this.path, this.places, [...this.forks, ...branches]);
  }

  private innermost(): NodeSpec {
    return this.path[this.path.length - 1];
  }

  /** Bits hold nothing but numbers. */
  private checkHolds(): void {
    if (this.innermost().kind === 'bits')
      fail('layout/bit-array', 'elements of a bit array hold no nodes', {
        remedy: 'put the nodes around it: a bit array is the innermost',
      });
  }

  private nest(spec: NodeSpec): Branch {
    this.checkHolds();
    if (this.places.length > 0 || this.forks.length > 0)
      fail('layout/nest', 'a node cannot be nested into a branch whose cells already hold something', {
        remedy: 'use fork() to put a node beside fields',
      });
    return new Branch([...this.path, spec], [], []);
  }

  private decorate(change: Partial<NodeSpec>, kinds: readonly NodeSpec['kind'][]): Branch {
    const node = this.innermost();
    if (!kinds.includes(node.kind))
      fail(
        'layout/decorator',
        `${Object.keys(change)[0]}() is for ${kinds.join(' and ')} nodes, not for ${node.kind}`,
        {
          remedy:
            node.kind === 'hash'
              ? 'leave it out: a hash table holds the cells that are active, and no others'
              : `write it behind ${kinds.map((kind) => `${kind}(…)`).join(' or ')}`,
        },
      );
    if ((change.pointer && node.bitmasked) || (change.bitmasked && node.pointer))
      fail('layout/decorator', 'pointers say already which cells are active', {
        remedy: 'use pointer() or bitmasked(), not both',
      });
    return new Branch([...this.path.slice(0, -1), { ...node, ...change }], this.places, this.forks);
  }
}

/** Starts a branch with a fixed-size array: `dense(ij, 256)`, `dense(ijk, [8, 4, 4])`. */
export const dense = (axes: Axes, extents: number | readonly number[]): Branch =>
  Branch.of(nodeSpec('dense', axes, extents));

/** Starts a branch with a hash table over coordinates, negative ones included. */
export const hash = (axes: Axes, extents: number | readonly number[], options?: PoolOptions): Branch =>
  Branch.of(nodeSpec('hash', axes, extents, options));

/** Starts a branch with a list of at most `most` cells. */
export const dynamic = (axis: Axes, most: number): Branch => Branch.of(nodeSpec('dynamic', axis, most));

/** Starts a branch with elements of few bits, packed in words: `bitArray(i, 1024, 64)`. */
export const bitArray = (axes: Axes, extents: number | readonly number[], bits: WordBits): Branch =>
  Branch.of(arraySpec(axes, extents, bits));

const arraySpec = (axes: Axes, extents: number | readonly number[], bits: WordBits): NodeSpec => {
  checkWord('a bit array', bits);
  return { ...nodeSpec('bits', axes, extents), word: bits };
};

const nodeSpec = (
  kind: NodeSpec['kind'],
  axes: Axes,
  extents: number | readonly number[],
  options?: PoolOptions,
): NodeSpec => {
  if (!areAxes(axes))
    fail(
      'layout/axes',
      `${kind}: ${Array.isArray(axes) ? `[${(axes as readonly unknown[]).map(describeValue).join(', ')}]` : describeValue(axes)} is no list of different axes`,
      {
        remedy: 'use for example ij, or [...j, ...k]',
      },
    );
  const list = Array.isArray(extents) ? (extents as readonly number[]) : axes.map(() => extents as number);
  const names = axes.map(axisName).join('');
  if (kind === 'dynamic' && axes.length > 1)
    fail('layout/axes', `dynamic: a list has one axis, not ${axes.length}`, {
      remedy: 'use for example dynamic(k, 64)',
    });
  if (list.length !== axes.length)
    fail('layout/extents', `${kind}: ${axes.length} axes (${names}) and ${list.length} extents`, {
      remedy: 'give one extent, or one an axis',
    });
  for (const n of list)
    if (!Number.isSafeInteger(n) || n < 1 || n > MAX_EXTENT)
      fail('layout/extents', `${kind}: an extent is a whole number from 1 to 2³⁰, not ${describeValue(n)}`, {
        remedy: 'give one for all axes, as in dense(ij, 64), or a list of them, dense(ij, [64, 32])',
      });
  return {
    kind,
    axes,
    extents: list,
    pointer: false,
    bitmasked: false,
    morton: false,
    cells: checkedCells(kind, options),
  };
};

const checkedCells = (what: string, options: PoolOptions | undefined): number | undefined =>
  checkOptions<PoolOptions>(what, options, { cells: option.whole(1, MAX_EXTENT) }).cells;

const MAX_EXTENT = 2 ** 30;

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));
