import { DiagnosticError, fail } from '../diagnostics/diagnostic.js';
import { describe } from './describe.js';
import type { OptionKind, OptionSpec } from './kinds.js';
import { nearest } from './nearest.js';

/**
 * The options that a public function was given, checked: a plain copy, so that what is read later is what was checked.
 * An option that is `undefined` is left out; so are all where nothing is given. Errors: `option/form` where the options are no
 * object, `option/unknown` for a name that there is not, `option/value` for a value that the option does not take.
 *
 * @param what the function that takes the options, as users write it: `compile`
 */
export const checkOptions = <O extends object>(what: string, given: unknown, spec: OptionSpec<O>): O =>
  given === undefined ? ({} as O) : (checked(given, { what, prefix: '', spec }) as O);

/** The same for what other options hold as an object: `{ specialize: { order: { reorder: false } } }`. */
export const optionsOf = <O extends object>(spec: OptionSpec<O>): OptionKind => ({
  wanted: `an object of ${Object.keys(spec).join(', ')}`,
  read: (value, what, path) => checked(value, { what, prefix: `${path}.`, spec }),
});

interface Place {
  readonly what: string;
  /** Where nested options stand, before their own names. */
  readonly prefix: string;
  readonly spec: Readonly<Record<string, OptionKind>>;
}

const checked = (given: unknown, { what, prefix, spec }: Place): Readonly<Record<string, unknown>> => {
  const known = Object.keys(spec);
  if (typeof given !== 'object' || given === null || Array.isArray(given) || ArrayBuffer.isView(given))
    return prefix === ''
      ? fail('option/form', `the options of ${what} are ${describe(given)}`, {
          remedy: `give an object of ${known.join(', ')}, or leave it out`,
        })
      : fail('option/value', `option '${prefix.slice(0, -1)}' of ${what} is ${describe(given)}`, {
          remedy: `give an object of ${known.join(', ')}, or leave it out`,
        });
  const options = given as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  /* Launches are checked too: nothing is made here for each name. Getters and proxies may throw whatever they like. */
  let name = '';
  try {
    for (name of Object.keys(options))
      if (!Object.hasOwn(spec, name) && options[name] !== undefined) unknownOption(what, prefix, name, known);
    for (name of known) {
      const value = options[name];
      if (value !== undefined) copy[name] = spec[name].read(value, what, `${prefix}${name}`);
    }
  } catch (e) {
    if (e instanceof DiagnosticError) throw e;
    fail(
      'option/value',
      `${name === '' ? 'options' : `option '${prefix}${name}'`} of ${what} cannot be read: ${e instanceof Error ? e.message : describe(e)}`,
      { remedy: 'give a plain object' },
    );
  }
  return copy;
};

const unknownOption = (what: string, prefix: string, name: string, known: readonly string[]): never => {
  const near = nearest(name, known);
  return fail('option/unknown', `${what} has no option '${prefix}${name}'`, {
    remedy:
      known.length === 0
        ? 'it has none'
        : `${near === undefined ? '' : `did you mean '${near}'? `}use one of ${known.join(', ')}`,
  });
};
