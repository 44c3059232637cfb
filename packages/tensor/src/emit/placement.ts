/** Where a kernel that runs for many elements finds a tensor (§4.9, and neighbours of the applications in §5). */
export type Placement =
  /** Every element has its own, one behind the other. */
  | { readonly kind: 'element' }
  /** All elements use the same. */
  | { readonly kind: 'shared' }
  /** Element `e` uses the one with the number that the i32 buffer `by` holds at `e`. */
  | { readonly kind: 'indexed'; readonly by: string };

/** The placement of a tensor, and its buffer: tensors that share a buffer are views of the same data. */
export type PlacedTensor = Placement & {
  /** By default the buffer is named as the tensor. */
  readonly buffer?: string;
};

/** Which elements a kernel runs for when it is launched. */
export type Elements =
  /** Once; the kernel takes its scalars. */
  | { readonly kind: 'one' }
  /** For the elements from `first` to before `last`, in parallel; the kernel takes `first`, `last`, and its scalars. */
  | {
      readonly kind: 'many';
      /** Elements that buffers have room for. */
      readonly count: number;
      /** Of tensors by name; others have their own data for each element, but those of known values are shared. */
      readonly placed?: Readonly<Record<string, PlacedTensor>>;
    }
  /** Once; the kernel takes an element number `at_NAME` for every tensor that is not shared, and its scalars. */
  | {
      readonly kind: 'at';
      readonly count: number;
      readonly placed?: Readonly<Record<string, PlacedTensor>>;
    };
