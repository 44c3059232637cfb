import { type BooleanTensor, boundingBox, projectPattern } from '@filigree/sparse/eqspp';
import { denseLayout } from '../layout/dense-layout.js';
import { diagonalLayout } from '../layout/diagonal-layout.js';
import type { DenseLayout, Interval, Layout } from '../layout/layout.js';
import type { TensorDecl } from '../notation/expression.js';
import type { ContractionNode, Folded, IndexSumNode, LeafNode, Node, Statement, SumNode } from '../notation/node.js';
import { rearrangeKnown } from '../known/known-entries.js';
import type { CostModel } from './cost.js';
import { batchMapping, logMappings, type LogMapping, type Placed } from './mapping.js';

/** A node with the order of its dimensions in memory, its layout, and how it is computed. */
export interface PlacedNode extends Placed {
  readonly pattern: BooleanTensor;
  readonly how:
    | { readonly kind: 'tensor'; readonly tensor: TensorDecl; readonly folded?: Folded }
    /** A dense copy of a sparse tensor. */
    | { readonly kind: 'copy'; readonly of: PlacedNode }
    | {
        readonly kind: 'sum';
        readonly terms: readonly { readonly by: SumNode['terms'][0]['by']; readonly node: PlacedNode }[];
      }
    | { readonly kind: 'log'; readonly left: PlacedNode; readonly right: PlacedNode; readonly mapping: LogMapping }
    /** Entry by entry: without a sum, or sums of products side by side. */
    | { readonly kind: 'product'; readonly left: PlacedNode; readonly right: PlacedNode }
    | { readonly kind: 'indexsum'; readonly of: PlacedNode };
}

export interface PermuteOptions {
  readonly cost: CostModel;
  /** The layout of a tensor of the user. */
  readonly tensorLayout: (tensor: TensorDecl) => Layout;
  /** Elements of a vector, to which temporaries are aligned. */
  readonly lanes: number;
}

/**
 * The order of indices of every temporary, and the loop over products of matrices of every contraction, of least cost
 * (§4.5.1): dynamic programming from the leaves to the root, which keeps the best of each subtree for every order of its
 * root. Terms of a sum are stored as the sum is, and the sum that is assigned as the target is, so that no term needs a
 * temporary of its own in the end.
 */
export const permuteIndices = ({ target, root }: Statement, options: PermuteOptions): PlacedNode => {
  const layout = options.tensorLayout(target.tensor);
  const { indices } = target;
  const place = layout.kind === 'dense' ? layout : temporaryLayout(root, indices, options.lanes);
  const [best] = new Permuter(options).solve(root, [{ indices, layout: place }]);
  return best.make();
};

interface Choice {
  readonly indices: string;
  readonly layout: Layout;
  readonly cost: readonly number[];
  /** The chosen subtree; made only for what is chosen in the end. */
  readonly make: () => PlacedNode;
}

class Permuter {
  /* A subtree is asked for once for every order of each sum and product above it. */
  private readonly known = new Map<Node, readonly Choice[]>();

  constructor(private readonly options: PermuteOptions) {}

  /** The best of a subtree for each of the given places of its root. */
  solve(node: Node, targets: readonly Placed[]): readonly Choice[] {
    switch (node.kind) {
      case 'leaf':
        return this.leaf(node);
      case 'sum':
        return targets.map((target) => this.sum(node, target));
      case 'indexsum':
        return targets.map((target) => this.indexSum(node, target));
      case 'contraction':
        return this.contraction(node, targets);
      case 'einsum':
        throw new Error('products must be reduced to products of two before indices are permuted');
    }
  }

  private leaf(node: LeafNode): readonly Choice[] {
    const { indices, tensor, pattern, folded } = node;
    if (folded && tensor.layout === undefined) return this.folded(node, folded);
    const whole = this.options.tensorLayout(tensor);
    const layout = node.along === undefined ? whole : diagonalLayout(whole, node.along, pattern.shape);
    const own: Choice = {
      indices,
      layout,
      cost: this.zero,
      make: () => ({ indices, layout, pattern, how: { kind: 'tensor', tensor, ...(folded ? { folded } : {}) } }),
    };
    return [own];
  }

  /** What planning computed is written down in any order at no cost. */
  private folded(node: LeafNode, folded: Folded): readonly Choice[] {
    return permutationsOf(node.indices).map((order) => {
      const layout = this.temporary(node, order);
      return {
        indices: order,
        layout,
        cost: this.zero,
        make: () => {
          const { shape, values } = rearrangeKnown({ ...node, ...node.tensor, values: node.tensor.values! }, order);
          const pattern = arranged(node, order);
          return {
            indices: order,
            layout,
            pattern,
            how: { kind: 'tensor', tensor: { ...node.tensor, shape, pattern, values }, folded },
          };
        },
      };
    });
  }

  private leafFor(node: LeafNode, order: string): Choice {
    const choices = this.leaf(node);
    return choices.find((c) => c.indices === order) ?? choices[0];
  }

  /** Dense, and so fit for everything: the tensor itself, or a copy in any order. */
  private dense(node: Node): readonly Choice[] {
    const known = this.known.get(node);
    if (known !== undefined) return known;
    const found = this.madeDense(node);
    this.known.set(node, found);
    return found;
  }

  private madeDense(node: Node): readonly Choice[] {
    const choices = this.free(node);
    return choices[0].layout.kind === 'dense' ? choices : this.copiesOf(node, choices[0]);
  }

  private copiesOf(node: Node, of: Choice): readonly Choice[] {
    return permutationsOf(node.indices).map((order) => {
      const layout = this.temporary(node, order);
      return {
        indices: order,
        layout,
        cost: this.plus(of.cost, this.options.cost.copy(layout.size)),
        make: () => ({ indices: order, layout, pattern: arranged(node, order), how: { kind: 'copy', of: of.make() } }),
      };
    });
  }

  private free(node: Node): readonly Choice[] {
    if (node.kind === 'leaf') return this.leaf(node);
    const orders = permutationsOf(node.indices);
    const padded = orders.map((indices): Placed => ({ indices, layout: this.temporary(node, indices) }));
    /* Padding parts what could be one index: rows of seven that are stored as eight do not follow one another. */
    const tight = padded.flatMap(({ indices, layout }): Placed[] => {
      const dense = tightLayout(node, indices);
      return layout.size > dense.size ? [{ indices, layout: dense }] : [];
    });
    return this.solve(node, [...padded, ...tight]);
  }

  private sum(node: SumNode, target: Placed): Choice {
    const { indices: order } = target;
    const terms = node.terms.map(({ by, node: term }) => ({
      by,
      choice: term.kind === 'leaf' ? this.leafFor(term, order) : this.cheapest(this.solve(term, [target])),
    }));
    return {
      ...target,
      cost: terms.reduce((c, t) => this.plus(c, t.choice.cost), this.zero),
      make: () => ({
        ...target,
        pattern: arranged(node, order),
        how: { kind: 'sum', terms: terms.map(({ by, choice }) => ({ by, node: choice.make() })) },
      }),
    };
  }

  private indexSum(node: IndexSumNode, target: Placed): Choice {
    const of = this.cheapest(this.dense(node.of));
    return {
      ...target,
      cost: of.cost,
      make: () => ({
        ...target,
        pattern: arranged(node, target.indices),
        how: { kind: 'indexsum', of: of.make() },
      }),
    };
  }

  private contraction(node: ContractionNode, targets: readonly Placed[]): readonly Choice[] {
    const product = node.summed === '';
    const sides = (side: Node): readonly Choice[] =>
      side.kind === 'leaf' && !product ? this.matrices(side) : this.dense(side);
    const [lefts, rights] = this.few(targets.length, sides(node.left), sides(node.right));
    const ranges = rangesOf(node);
    return targets.map((target) => {
      let best: { left: Choice; right: Choice; cost: readonly number[]; mapping?: LogMapping } | undefined;
      for (const left of lefts)
        for (const right of rights) {
          const below = this.plus(left.cost, right.cost);
          const consider = (cost: readonly number[], mapping?: LogMapping): void => {
            if (best === undefined || this.options.cost.compare(cost, best.cost) < 0)
              best = { left, right, cost, ...(mapping && { mapping }) };
          };
          if (product) {
            consider(below);
            continue;
          }
          const placed = { target, left, right, ranges };
          for (const mapping of logMappings(placed))
            consider(this.plus(below, this.options.cost.log(mapping)), mapping);
          const batch = batchMapping(placed, this.options.lanes);
          if (batch) consider(this.plus(below, this.options.cost.batch(batch)));
        }
      const { left, right, cost, mapping } = best!;
      const pattern = (): BooleanTensor => arranged(node, target.indices);
      return {
        ...target,
        cost,
        make: () =>
          mapping === undefined
            ? { ...target, pattern: pattern(), how: { kind: 'product', left: left.make(), right: right.make() } }
            : { ...target, pattern: pattern(), how: { kind: 'log', left: left.make(), right: right.make(), mapping } },
      };
    });
  }

  /** The cheapest of both sides, so that not too many are tried together. */
  private few(targets: number, a: readonly Choice[], b: readonly Choice[]): readonly (readonly Choice[])[] {
    const { compare } = this.options.cost;
    const [x, y] = [a, b].map((side) => [...side].sort((p, q) => compare(p.cost, q.cost)));
    while (targets * x.length * y.length > MAX_CONFIGURATIONS && x.length + y.length > 2)
      if (x.length > y.length) x.length = Math.ceil(x.length / 2);
      else y.length = Math.ceil(y.length / 2);
    return [x, y];
  }

  /** As products of matrices take it: as it is or, where it is sparse, also as a copy; of a diagonal, whose neighbours lie apart, a copy alone. */
  private matrices(node: LeafNode): readonly Choice[] {
    const own = this.leaf(node);
    if (node.along !== undefined) return this.copiesOf(node, own[0]);
    return own[0].layout.kind === 'dense' ? own : [...own, ...this.copiesOf(node, own[0])];
  }

  private temporary(node: Node, order: string): DenseLayout {
    return temporaryLayout(node, order, this.options.lanes);
  }

  private cheapest(choices: readonly Choice[]): Choice {
    return choices.reduce((a, b) => (this.options.cost.compare(b.cost, a.cost) < 0 ? b : a));
  }

  private plus(a: readonly number[], b: readonly number[]): readonly number[] {
    return a.map((x, n) => x + b[n]);
  }

  private get zero(): readonly number[] {
    return this.options.cost.copy(0).map(() => 0);
  }
}

/**
 * The box of what a temporary holds, widened to whole vectors where that adds no more than a quarter: of the longest vectors or,
 * where there are fewer rows than such have lanes, of a half, a quarter … of them.
 */
const temporaryLayout = (node: Node, order: string, lanes: number): DenseLayout => {
  const box = boxIn(node, order);
  if (box.length === 0) return denseLayout(box);
  const length = ([start, stop]: Interval): number => stop - start;
  const aligned = denseLayout(box, lanes);
  if (length(aligned.box[0]) <= 1.25 * length(box[0])) return aligned;
  return length(box[0]) < lanes ? temporaryLayout(node, order, lanes / 2) : denseLayout(box);
};

const tightLayout = (node: Node, order: string): DenseLayout => denseLayout(boxIn(node, order));

const boxIn = (node: Node, order: string): readonly Interval[] => {
  const boxes = boxOf(node);
  return [...order].map((i) => boxes[i]);
};

const boxes = new WeakMap<Node, Readonly<Record<string, Interval>>>();

/** Where each index of a node runs. */
const boxOf = (node: Node): Readonly<Record<string, Interval>> => {
  let box = boxes.get(node);
  if (box === undefined) {
    const intervals = boundingBox(node.pattern);
    boxes.set(node, (box = Object.fromEntries([...node.indices].map((i, d) => [i, intervals[d]]))));
  }
  return box;
};

/** Free indices run where the result is, summed ones where the left side is (which is where the right one is). */
const rangesOf = (node: ContractionNode): Readonly<Record<string, Interval>> => ({
  ...boxOf(node.left),
  ...boxOf(node),
});

const arranged = (node: Node, order: string): BooleanTensor =>
  projectPattern({ indices: node.indices, pattern: node.pattern }, order);

/** Orders of a result and its two sides that are tried together. */
const MAX_CONFIGURATIONS = 60000;

const permutationsOf = (letters: string): readonly string[] => {
  if (letters.length <= 1) return [letters];
  // Of more than six letters only the last six change places.
  const firsts = letters.length > 6 ? letters[0] : letters;
  return [...firsts].flatMap((first, d) =>
    permutationsOf(letters.slice(0, d) + letters.slice(d + 1)).map((rest) => first + rest),
  );
};
