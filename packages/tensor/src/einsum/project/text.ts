import { identifierOf } from '../emit/names.js';

/** A number as C++ reads it back exactly. */
export const literal = (x: number, type: 'f32' | 'f64'): string => {
  const value = type === 'f32' ? Math.fround(x) : x;
  if (Number.isNaN(value)) return '__builtin_nan("")';
  if (!Number.isFinite(value)) return `${value < 0 ? '-' : ''}__builtin_inf()`;
  const text = String(value);
  return (/[.e]/.test(text) ? text : `${text}.0`) + (type === 'f32' ? 'f' : '');
};

/** Items in lines of at most this length, each but the last with `end` behind it. */
export const wrapped = (items: readonly string[], indent: string, width = 110): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  items.forEach((item, k) => {
    const text = k < items.length - 1 ? `${item}, ` : item;
    if (line !== '' && indent.length + line.length + text.length > width) {
      lines.push(indent + line.trimEnd());
      line = '';
    }
    line += text;
  });
  if (line !== '') lines.push(indent + line);
  return lines;
};

/** `{a, b, c}`, over several lines where it is long. */
export const braced = (items: readonly string[], indent = '    '): string => {
  const flat = `{${items.join(', ')}}`;
  return flat.length < 90 ? flat : ['{', ...wrapped(items, indent), `${indent.slice(2)}}`].join('\n');
};

/**
 * Gives back each name that it is given, with a number behind it where one before differs from it in its case alone, if at all: Fortran
 * and some file systems see no such difference.
 */
export const apartInCase = (): ((name: string) => string) => {
  const used = new Set<string>();
  return (name) => {
    let found = name;
    for (let n = 2; used.has(found.toLowerCase()); n++) found = `${name}_${n}`;
    used.add(found.toLowerCase());
    return found;
  };
};

export const realOf = (type: 'f32' | 'f64'): string => (type === 'f32' ? 'float' : 'double');

/** Names that are no words of C++ and mean nothing else in the files of a project, each its own. */
export const cppName = (name: string): string => {
  const plain = name.replace(/_+$/, '');
  return KEYWORDS.has(plain) || MACRO.test(plain) ? `${name}_` : name;
};

/** The variable of a scalar, whose name may be that of a family's member. */
export const scalarName = (name: string): string => cppName(identifierOf(name));

const KEYWORDS = new Set(
  `alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const constexpr continue decltype
  default delete do double else enum explicit export extern false float for friend goto if inline int long mutable namespace
  new noexcept not nullptr operator or private protected public register requires return short signed sizeof static struct
  switch template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor
  and_eq bitand bitor char8_t char16_t char32_t consteval constinit const_cast co_await co_return co_yield decltype dynamic_cast not_eq
  or_eq reinterpret_cast static_assert static_cast thread_local wchar_t xor_eq std main assert errno signbit linux unix
  execute prefetch real view data position kernel tensor View ConstView Values Shape Size Dimensions Start Stop Stride ColumnStart Rows
  Position NonZeroFlops HardwareFlops NULL EOF NAN INFINITY HUGE_VAL NDEBUG RAND_MAX BUFSIZ EXIT_SUCCESS EXIT_FAILURE SIZE_MAX MAXFLOAT SNAN EDOM ERANGE EILSEQ stdin stdout stderr`.split(
    /\s+/,
  ),
);

/* Constants that <cmath> and <cstdint> have as macros. */
const MACRO = /^(M_[A-Z0-9_]+l?|HUGE_VAL[FL]|FP_[A-Z]+|U?INT(_FAST|_LEAST)?(\d+|MAX|PTR)_(MAX|MIN|C))$/;
