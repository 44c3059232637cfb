import type { ScalarType } from '@filigree/ir';
import { statusCodes } from './helpers/status-codes.js';

/** Words in which languages of the C family differ. */
export interface Tokens {
  /** The truth values. */
  readonly false: string;
  readonly true: string;
  /** What stands before a variable that is to lie on a multiple of so many bytes. */
  readonly aligned: (bytes: number) => string;
  /** A vector of these lanes; of none, all zeros. */
  readonly vector: (type: string, lanes: readonly string[]) => string;
  /** What a variable is set to that is to be all zeros. */
  readonly zeros: string;
  /** What stands before a function that programs in C call. */
  readonly entry: string;
  /** The parameters of a function that has none. */
  readonly noParameters: string;
  /** What ends a literal of 64 bits: `LL`. */
  readonly long: string;
  /** A function of C's library on floats of a type: `sinf`. */
  readonly library: (name: string, t: ScalarType) => string;
  /** The floats that have no digits. */
  readonly nan: (t: ScalarType) => string;
  readonly infinity: (t: ScalarType) => string;
  /** The parameter by which traps are reported, and the statement that reports one. */
  readonly status: string;
  readonly trap: (what: keyof typeof statusCodes) => string;
}

/** What ends the name of a function of C, and a literal. */
export const suffix = (t: ScalarType): string => (t === 'f32' ? 'f' : '');

/* What compilers that know the builtins of gcc and clang have in common. */
const gnu = {
  long: 'LL',
  library: (name: string, t: ScalarType) => `__builtin_${name}${suffix(t)}`,
  nan: (t: ScalarType) => `__builtin_nan${suffix(t)}("")`,
  infinity: (t: ScalarType) => `__builtin_inf${suffix(t)}()`,
  status: 'int* status',
  trap: (what: keyof typeof statusCodes) => `__atomic_store_n(status, ${statusCodes[what]}, __ATOMIC_RELAXED);`,
};

/** The words of C++, and of what comes from it. */
export const cppTokens: Tokens = {
  ...gnu,
  false: 'false',
  true: 'true',
  aligned: (bytes) => `alignas(${bytes})`,
  vector: (type, lanes) => `${type}{${lanes.join(', ')}}`,
  zeros: '{}',
  entry: 'extern "C" ',
  noParameters: '()',
};

/** The words of C, from C11 on, without any header. */
export const cTokens: Tokens = {
  ...gnu,
  false: '0',
  true: '1',
  aligned: (bytes) => `_Alignas(${bytes})`,
  vector: (type, lanes) => `(${type}){${lanes.length === 0 ? '0' : lanes.join(', ')}}`,
  zeros: '{0}',
  entry: '',
  noParameters: '(void)',
};
