import type { OptionSpec } from '@filigree/ir';

/** Those options that another function takes too. */
export const only = <O extends object>(options: object, spec: OptionSpec<O>): O =>
  Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(spec, name))) as O;
