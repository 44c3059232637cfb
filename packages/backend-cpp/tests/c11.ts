import { type CFamilyDialect, cTokens, declareArrays, gnuHelper } from '@filigree/backend';
import { type NativeLanguage, cppDialect } from '@filigree/backend-cpp';

/* C11, so that what is written for the C family is not C++ at heart: the table of C++, but for what C has in other words. */
const { chunk: _chunk, ...family } = cppDialect;
const scalar = { ...cppDialect.scalar, i1: '_Bool' };
const helper = gnuHelper({
  scalar: (t) => scalar[t]!,
  stored: (t) => cppDialect.stored[t] ?? scalar[t]!,
  local: 'static inline',
  tokens: cTokens,
});

const dialect: CFamilyDialect = {
  ...family,
  name: 'c',
  tokens: cTokens,
  scalar,
  helper: (name) => (/^share$|^lanes_of_|^narrow_/.test(name) ? cppDialect.helper(name) : helper(name)),
  scratch: (arrays) =>
    declareArrays(arrays, arrays.some((a) => a.bytes > 4096) ? 'static _Thread_local ' : '', cTokens),
};

export const c11: NativeLanguage = { name: 'c', language: 'c', standard: '-std=c11', dialect };
