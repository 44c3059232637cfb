import type { Loc } from '@filigree/ir';

/** What a build keeps of a function that kernels are compiled from. */
export interface Kept {
  readonly text: string;
  /** What the text uses from around it, by the names in the text; each is read when a kernel is compiled. */
  readonly scope: Readonly<Record<string, unknown>>;
  /** Whether numerals are spelled as their author wrote them. */
  readonly spelled: boolean;
  /** Where it begins in its file, where that is known and its lines are those of the file. */
  readonly at?: Loc | undefined;
  /** The tree of the text as an expression, as `textOfTree` writes it. Nothing where the text is to be parsed. */
  readonly tree?: string | undefined;
  /** What the author called what the text names otherwise. */
  readonly names?: Readonly<Record<string, string>> | undefined;
}

const kept = new WeakMap<object, Kept>();

/**
 * Remembers the text of a function as its author wrote it, and what its names mean: bundlers and minifiers rename both
 * names and what they stand for, so that the text of the function itself says nothing any more.
 */
export const keep = <F extends object>(
  f: F,
  text: string,
  scope: Kept['scope'],
  spelled = true,
  at?: Loc,
  tree?: string,
  names?: Kept['names'],
): F => {
  kept.set(f, { text, scope, spelled, at, tree, names });
  return f;
};

/** What the build plugin kept of a function, if it did. */
export const keptOf = (f: object): Kept | undefined => kept.get(f);
