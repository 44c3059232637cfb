import { type ScalarType, byteSize } from '@filigree/ir';
import { suffix, type Tokens } from '../tokens.js';

/** The definition of a helper function, and the helpers or library prototypes it calls. */
export interface HelperText {
  readonly text: string;
  readonly needs: readonly string[];
}

/** How a language declares what helper functions need. */
export interface HelperNames {
  /** How a value of a type is declared. */
  readonly scalar: (t: ScalarType) => string;
  /** How an element in memory is declared. */
  readonly stored: (t: ScalarType) => string;
  /** What stands before every helper: `static inline`. */
  readonly local: string;
  /** The words of the language; default those of C++. */
  readonly tokens?: Tokens;
  /** Where pointers say in which memory they point: a parameter that stands for one into any, and what declares it before a function. */
  readonly anyPointer?: { readonly type: string; readonly before: string };
}

/** A helper that is wanted. */
export interface HelperRequest extends HelperNames {
  readonly tokens: Tokens;
  readonly name: string;
  /** The first and second type in the name. */
  readonly a: ScalarType;
  readonly b: ScalarType;
}

/** The definition of one helper for each type, or pair of types, in its name. */
export type HelperRow = (r: HelperRequest) => HelperText;
export type HelperRows = Readonly<Record<string, HelperRow>>;

/** A definition of these lines. */
export const helperText = (needs: readonly string[], ...lines: readonly string[]): HelperText => ({
  text: lines.join('\n'),
  needs,
});

/** One function of one argument, of the type it returns. */
export const unary =
  (body: (r: HelperRequest, s: string) => readonly string[]): HelperRow =>
  (r) => {
    const t = r.scalar(r.a);
    return helperText([], `${r.local} ${t} ${r.name}(${t} x) {`, ...body(r, suffix(r.a)).map((l) => `  ${l}`), '}');
  };

/** One function of two arguments of one type. */
export const binary =
  (
    body: (r: HelperRequest) => readonly string[],
    needs: (r: HelperRequest) => readonly string[] = () => [],
  ): HelperRow =>
  (r) => {
    const t = r.scalar(r.a);
    return helperText(needs(r), `${r.local} ${t} ${r.name}(${t} a, ${t} b) {`, ...body(r).map((l) => `  ${l}`), '}');
  };

/** The bits of a value of this type. */
export const widthOf = (t: ScalarType): number => 8 * byteSize(t);
/** The integer that has the bits of a float. */
export const wordOf = (t: ScalarType): ScalarType => (t === 'f32' ? 'u32' : 'u64');
