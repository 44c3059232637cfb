import { scalarOps, type Kernel, type Module } from '@filigree/ir';

/** Hands out C identifiers that are valid, readable and never the same twice. */
export interface Names {
  /** An identifier as near to `wish` as can be. */
  readonly take: (wish: string) => string;
}

/** Identifiers not in `taken` and not keywords of C, C++ or their GPU kin. */
export const names = (taken: Iterable<string> = []): Names => {
  const used = new Set<string>([...keywords, ...library, ...taken]);
  const next = new Map<string, number>();
  return {
    take: (wish) => {
      const base = helperLike.test(identifier(wish)) ? `${identifier(wish)}_` : identifier(wish);
      let name = base;
      for (let n = next.get(base) ?? 1; used.has(name); n++) {
        name = `${base}_${n}`;
        next.set(base, n + 1);
      }
      used.add(name);
      return name;
    },
  };
};

/** The identifiers of a module's kernels, in module order; entry points are `filigree_kernel_` and this name, and take `a0`, `a1`, … */
export const kernelNames = (module: Module): readonly string[] => {
  const own = names(reserved);
  return module.kernels.map((k: Kernel) => own.take(k.name.replace(/^(?=part\d+_of_|a\d+$)/, 'kernel_')));
};

/** `text` with everything that C does not allow in an identifier turned into `_`. */
export const identifier = (text: string): string => {
  const clean = text.replace(/[^A-Za-z0-9_]/g, '_').replace(/__+/g, '_');
  return /^[A-Za-z]/.test(clean) ? clean : `v${clean.replace(/^_/, '')}`;
};

/* Helper functions end in their type, vector types are a type and their lanes; `part0_of_…` is kept for the parts of kernels. */
const helperLike =
  /_[iuf]\d+$|^[iuf]\d+x\d+$|^omp_|^share$|^(certain_)?trip_count$|^in_bounds$|^unknown_zero$|^filigree/;

/** Names that generated sources use for themselves. */
export const reserved: readonly string[] = [
  'slab',
  'offsets',
  'threads',
  'status',
  'begin',
  'end',
  'trips',
  'trip',
  'last',
  'team',
  'piece',
  'next',
  'from',
  'main',
];

/** Functions of C's library that operations are. */
const library = scalarOps.flatMap((o) => o.c ?? []);

const keywords =
  `alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
  concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
  dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
  not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof
  static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union
  unsigned using virtual void volatile wchar_t while xor xor_eq std NULL half kernel device constant threadgroup thread linux unix
  abs erf exp2 fma fmod max min pow rint round signbit y0 y1 yn j0 j1 jn gamma div rand read write`.split(/\s+/);
