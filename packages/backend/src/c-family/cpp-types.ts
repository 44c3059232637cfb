import type { ScalarType } from '@filigree/ir';

/** Types of C++ on all machines that kernels run on, processors and GPUs. */
export const cppTypes: Readonly<Record<ScalarType, string>> = {
  i1: 'bool',
  i8: 'signed char',
  i16: 'short',
  i32: 'int',
  i64: 'long long',
  u8: 'unsigned char',
  u16: 'unsigned short',
  u32: 'unsigned',
  u64: 'unsigned long long',
  f32: 'float',
  f64: 'double',
};

/** Types in memory where they are others: a truth value may be any byte that the host wrote, so memory is not `bool`. */
export const cppStoredTypes: Readonly<Partial<Record<ScalarType, string>>> = { i1: 'unsigned char' };
