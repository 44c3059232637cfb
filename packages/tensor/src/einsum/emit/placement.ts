import { fail, option, optionKind, optionsOf, type OptionKind } from '@filigree/ir';

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

/** Elements, as an option. */
export const elementsOption: OptionKind = {
  wanted: "{ kind: 'one' }, { kind: 'many', count } or { kind: 'at', count }",
  read: (value, what, path) => {
    const given = elementsOf.read(value, what, path) as Partial<Elements & { readonly count: number }>;
    if (given.kind === undefined) required(path, what, 'kind', "'one', 'many' or 'at'");
    if (given.kind !== 'one' && given.count === undefined) required(path, what, 'count', 'a whole number from 1');
    return given;
  },
};

const placedOption: OptionKind = {
  wanted: "{ kind: 'element' }, { kind: 'shared' } or { kind: 'indexed', by: 'BUFFER' }",
  read: (value, what, path) => {
    const given = placedOf.read(value, what, path) as Partial<PlacedTensor & { readonly by: string }>;
    if (given.kind === undefined) required(path, what, 'kind', "'element', 'shared' or 'indexed'");
    if (given.kind === 'indexed' && given.by === undefined) required(path, what, 'by', 'the name of a buffer');
    return given;
  },
};

const identifierOption = optionKind(
  'a name of letters, digits and _',
  (x) => typeof x === 'string' && /^[A-Za-z_]\w*$/.test(x),
);

const placedOf = optionsOf<{ kind: unknown; by: unknown; buffer: unknown }>({
  kind: option.choice('element', 'shared', 'indexed'),
  by: identifierOption,
  buffer: identifierOption,
});

const elementsOf = optionsOf<{ kind: unknown; count: unknown; placed: unknown }>({
  kind: option.choice('one', 'many', 'at'),
  count: option.whole(1),
  placed: option.record(placedOption),
});

const required = (path: string, what: string, part: string, wanted: string): never =>
  fail('option/value', `option '${path}' of ${what} has no '${part}'`, { remedy: `give ${wanted}` });
