import type { BooleanTensor } from '@filigree/sparse/eqspp';
import type { GemmSpec } from '../../linalg/gemm-spec.js';
import type { Interval, Layout } from '../layout/layout.js';
import type { Coefficient, TensorDecl } from '../notation/expression.js';
import type { Folded } from '../notation/node.js';

/** A tensor of the user or a temporary, with names for its dimensions and where its entries lie. */
export interface Operand {
  /** The tensor's name; temporaries are `_tmp0`, `_tmp1`, … */
  readonly name: string;
  /** One letter a dimension, in the order of storage: the first is fastest. */
  readonly indices: string;
  readonly layout: Layout;
  /** What may be non-zero: the equivalent sparsity pattern where it is read. */
  readonly pattern: BooleanTensor;
}

/** The four kinds of operations (§4.8). What an index runs over is in `ranges` of the action. */
export type Operation =
  /** target = source, with permuted indices. */
  | { readonly kind: 'copyscaleadd'; readonly source: Operand }
  /** target = Σ source, over the indices that the target lacks. */
  | { readonly kind: 'indexsum'; readonly source: Operand }
  /** target = Σ left·right entry by entry, over the indices that the target lacks: of products side by side, or none. */
  | { readonly kind: 'product'; readonly left: Operand; readonly right: Operand }
  /** target = Σ_k left·right by products of matrices, for all values of `loops` (§2.3). */
  | {
      readonly kind: 'log';
      /** Gives the rows of the product: A(mk). */
      readonly left: Operand;
      /** Gives the columns: B(kn). */
      readonly right: Operand;
      /** Fused indices, the fastest first; `m` or `n` may be empty (a matrix times a vector). */
      readonly m: string;
      readonly n: string;
      readonly k: string;
      /**
       * Indices that are looped over, the outermost first. Summed ones may be among them, last: `gemm.beta` is then 1, and
       * an action that does not add makes its target zero first.
       */
      readonly loops: string;
      readonly transposeLeft: boolean;
      readonly transposeRight: boolean;
      readonly gemm: GemmSpec;
    };

/**
 * An edge of the control-flow graph (§4.7): target = scale·operation, or target += scale·operation. `=` assigns all
 * storage of the target: what lies outside the ranges becomes zero, except padding. Actions with a factor of 0 do
 * nothing else. Operands stored sparsely are read by `copyscaleadd`, and as the right operand by `log`; they are
 * written by `copyscaleadd`, which skips what they do not store.
 */
export interface Action {
  readonly target: Operand;
  readonly add: boolean;
  readonly scale: Coefficient;
  readonly operation: Operation;
  /** Where each index of the action runs. */
  readonly ranges: Readonly<Record<string, Interval>>;
  /** A tensor whose storage is prefetched meanwhile, along the stores to the target (§4.6). */
  readonly prefetch?: string;
}

/** Floating-point operations of a kernel, counted in several ways. */
export interface Flops {
  /** Of the best order on the patterns: the minimum in the sense of §4.3. */
  readonly nonzero: number;
  /** What the generated code executes. */
  readonly hardware: number;
  /** Of nested loops over all indices of each product, dense. */
  readonly naive: number;
}

/** A kernel ready to become code. */
export interface Plan {
  readonly name: string;
  readonly type: 'f32' | 'f64';
  /**
   * All tensors of the kernel's assignments as written there, with the layout of each. `write`: what it held before
   * does not matter; `read` and `readwrite`: it must be given; those that are `read` are never changed.
   */
  readonly tensors: readonly {
    readonly tensor: TensorDecl;
    readonly layout: Layout;
    readonly access: 'read' | 'write' | 'readwrite';
  }[];
  /** Tensors that actions prefetch; they are neither read nor written and may have no storage at all. */
  readonly prefetch?: readonly { readonly tensor: TensorDecl; readonly layout: Layout }[];
  /**
   * Tensors `_known0`, `_known1`, … whose values follow from known values alone and were computed when the plan was
   * made: for each the formula that it stands for, and the tensors in it with what of them was needed.
   */
  readonly known?: readonly ({ readonly tensor: TensorDecl; readonly layout: Layout } & Folded)[];
  /** The scalars of the kernel, given at run time, in order of first use; also those that no action needs. */
  readonly scalars: readonly string[];
  /** Temporaries, and which shared buffer each lies in (step 7 of §4.7). */
  readonly temporaries: readonly { readonly name: string; readonly layout: Layout; readonly buffer: number }[];
  /** Elements of each shared buffer. */
  readonly buffers: readonly number[];
  readonly actions: readonly Action[];
  readonly flops: Flops;
}
