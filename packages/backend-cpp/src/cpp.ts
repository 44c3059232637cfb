import type { CFamilyDialect } from '@filigree/backend';
import { checkOptions, option, type OptionSpec } from '@filigree/ir';
import { cppLanguage } from './emit/dialect.js';
import { type NativeBackend, type NativeOptions, nativeBackend, nativeSpec } from './native-backend.js';

/** How the C++ backend writes modules. */
export interface CppOptions extends NativeOptions {
  /** How ops are written; default `cppDialect`. */
  readonly language?: CFamilyDialect;
}

/** The C++ backend: `nativeBackend` in C++. */
export const cpp = (given?: CppOptions): NativeBackend => {
  const { language, ...options } = checkOptions('cpp', given, cppSpec);
  return language
    ? nativeBackend({ ...cppLanguage, dialect: language }, options)
    : nativeBackend(cppLanguage, options, { from: '@filigree/backend-cpp', near: import.meta.url, make: 'cpp' });
};

const cppSpec: OptionSpec<CppOptions> = {
  ...nativeSpec,
  language: option.object('how ops are written, as cppDialect is', 'spellings'),
};
