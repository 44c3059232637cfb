import type { Attr, Attrs } from '../kernel/op.js';
import { checkOptions } from '../options/check-options.js';
import { option, optionKind, type OptionKind } from '../options/kinds.js';
import { type Pass, pass } from './pass.js';

/** Makes a pass from its options; what a pipeline's text names. */
export type PassFactory<A, O extends Attrs = Attrs> = (options?: Partial<O>) => Pass<A>;

/** The passes that a pipeline's text may name. Options come from the text; a factory checks what it is given. */
export type PassRegistry<A> = Readonly<Record<string, MakePass<A>>>;

/* A method, so that a factory that names its options is one too. */
type MakePass<A> = { make(options: Attrs): Pass<A> }['make'];

/**
 * A factory from a name, the defaults of all options, and the pass itself: `definePass('unroll', { factor: 4 }, (m, o) => …)`.
 * The factory throws what `checkOptions` does, on an option that is unknown or is not what `spec` says; without it, not of the
 * type of its default.
 */
export const definePass =
  <A, O extends Attrs>(
    name: string,
    defaults: O,
    run: (input: A, options: O) => A,
    spec: Partial<Readonly<Record<keyof O & string, OptionKind>>> = {},
  ): PassFactory<A, O> =>
  (given?: Partial<O>) => {
    const kinds = { ...Object.fromEntries(Object.entries(defaults).map(([k, x]) => [k, kindOf(x)])), ...spec };
    const chosen: Record<string, Attr> = {};
    for (const [key, value] of Object.entries(checkOptions<Attrs>(`pass '${name}'`, given, kinds)))
      if (JSON.stringify(value) !== JSON.stringify(defaults[key])) chosen[key] = value;
    return pass(name, (input: A) => run(input, { ...defaults, ...chosen }), chosen);
  };

const kindOf = (value: Attr): OptionKind => {
  if (typeof value === 'number') return option.number();
  if (typeof value === 'boolean') return option.truth;
  if (typeof value === 'string') return option.text;
  return optionKind(`a ${typeof value}`, (x) => typeof x === typeof value);
};
