import { fail } from '../diagnostics/diagnostic.js';
import type { Attr, Attrs } from '../kernel/op.js';
import { type Pass, pass } from './pass.js';

/** Makes a pass from its options; what a pipeline's text names. */
export interface PassFactory<A, O extends Attrs = Attrs> {
  (options?: Partial<O>): Pass<A>;
  (options: Attrs): Pass<A>;
}

/** The passes that a pipeline's text may name. */
export type PassRegistry<A> = Readonly<Record<string, (options: Attrs) => Pass<A>>>;

/**
 * A factory from a name, the defaults of all options, and the pass itself: `definePass('unroll', { factor: 4 }, (m, o) => …)`.
 * The factory throws `DiagnosticError` `pass/option` on an option that is unknown or of another type than its default.
 */
export const definePass =
  <A, O extends Attrs>(name: string, defaults: O, run: (input: A, options: O) => A): PassFactory<A, O> =>
  (given: Attrs | Partial<O> = {}) => {
    const chosen: Record<string, Attr> = {};
    for (const [key, value] of Object.entries(given as Readonly<Record<string, Attr | undefined>>)) {
      if (value === undefined) continue;
      if (!Object.hasOwn(defaults, key))
        fail('pass/option', `pass '${name}' has no option '${key}'`, {
          remedy: Object.keys(defaults).length === 0 ? 'it has none' : `use one of ${Object.keys(defaults).join(', ')}`,
        });
      if (typeof value !== typeof defaults[key])
        fail(
          'pass/option',
          `option '${key}' of pass '${name}' is a ${typeof defaults[key]}, got ${JSON.stringify(value)}`,
          { remedy: `give it a ${typeof defaults[key]}, as in ${key}=${JSON.stringify(defaults[key])}` },
        );
      if (JSON.stringify(value) !== JSON.stringify(defaults[key])) chosen[key] = value;
    }
    return pass(name, (input: A) => run(input, { ...defaults, ...chosen }), chosen);
  };
