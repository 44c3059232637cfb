import { fail } from '../diagnostics/diagnostic.js';
import { describe } from './describe.js';

/** What one option takes. */
export interface OptionKind {
  /** Which values, after the word "give": `a whole number from 1`. */
  readonly wanted: string;
  /** The value as it is used; throws `option/value`. Never asked for `undefined`. */
  readonly read: (value: unknown, what: string, path: string) => unknown;
}

/** What each option of `O` takes: all of its names, and no others. */
export type OptionSpec<O extends object> = { readonly [K in keyof Required<O>]: OptionKind };

/** A kind of option from what it takes, in words and as a test. */
export const optionKind = (wanted: string, takes: (value: unknown) => boolean): OptionKind => ({
  wanted,
  read: (value, what, path) => (takes(value) ? value : refuse(value, what, path, wanted)),
});

/** A whole number of a range. */
export const wholeOption = (least: number, most: number = Number.MAX_SAFE_INTEGER): OptionKind =>
  optionKind(
    most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`,
    (x) => Number.isSafeInteger(x) && (x as number) >= least && (x as number) <= most,
  );

/** Kinds of options. Numbers are never NaN. */
export const option = {
  whole: wholeOption,
  /** A number of a range, infinity included where nothing is said of it. */
  number: (least: number = -Infinity, most: number = Infinity): OptionKind =>
    optionKind(
      `a number${least === -Infinity ? '' : ` from ${least}`}${most === Infinity ? '' : ` to ${most}`}`,
      (x) => typeof x === 'number' && x >= least && x <= most,
    ),
  truth: optionKind('true or false', (x) => typeof x === 'boolean'),
  text: optionKind('a text', (x) => typeof x === 'string'),
  callback: optionKind('a function', (x) => typeof x === 'function'),
  /** One of a few values. */
  choice: (...choices: readonly (string | number | boolean)[]): OptionKind =>
    optionKind(choices.map((c) => (typeof c === 'string' ? `'${c}'` : String(c))).join(' or '), (x) =>
      choices.includes(x as string),
    ),
  /** An object that the function itself looks into; `parts` are what it must have. */
  object: (wanted: string, ...parts: readonly string[]): OptionKind =>
    optionKind(wanted, (x) => typeof x === 'object' && x !== null && parts.every((p) => p in x)),
  /** Lists, typed arrays among them. */
  array: (wanted: string): OptionKind =>
    optionKind(wanted, (x) => Array.isArray(x) || (ArrayBuffer.isView(x) && 'length' in x)),
  /** A list of values of one kind. */
  list: (of: OptionKind): OptionKind => ({
    wanted: `a list, of each ${of.wanted}`,
    read: (value, what, path) =>
      Array.isArray(value)
        ? Array.from(value, (x: unknown, n) =>
            x === undefined ? refuse(x, what, `${path}[${n}]`, of.wanted) : of.read(x, what, `${path}[${n}]`),
          )
        : refuse(value, what, path, `a list, of each ${of.wanted}`),
  }),
  /** Values of one kind by name. */
  record: (of: OptionKind): OptionKind => ({
    wanted: `an object, of each name ${of.wanted}`,
    read: (value, what, path) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
        ? Object.fromEntries(
            Object.entries(value).map(([name, x]) => [name, x === undefined ? x : of.read(x, what, `${path}.${name}`)]),
          )
        : refuse(value, what, path, `an object, of each name ${of.wanted}`),
  }),
  /** This value, or one of another kind. */
  or: (same: unknown, other: OptionKind): OptionKind => ({
    wanted: `${other.wanted} or ${String(same)}`,
    read: (value, what, path) => (value === same ? value : other.read(value, what, path)),
  }),
  /** What is checked where it is used. */
  anything: optionKind('a value', () => true),
} as const;

const refuse = (value: unknown, what: string, path: string, wanted: string): never =>
  fail('option/value', `option '${path}' of ${what} is ${describe(value)}`, { remedy: `give ${wanted}` });
