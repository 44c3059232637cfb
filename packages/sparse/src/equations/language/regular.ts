/** Relations between iterations as a regular expression: letters stand for affine relations. */
export type Regular =
  | { readonly kind: 'letter'; readonly name: string }
  | { readonly kind: 'word'; readonly of: readonly Regular[] }
  | { readonly kind: 'union'; readonly of: readonly Regular[] }
  | { readonly kind: 'star'; readonly of: Regular };

/** The relation of every iteration to itself. */
export const EMPTY_WORD: Regular = { kind: 'word', of: [] };

export const letter = (name: string): Regular => ({ kind: 'letter', name });

/** First a, then b. */
export const concat = (a: Regular, b: Regular): Regular => {
  const parts = [a, b].flatMap((r) => (r.kind === 'word' ? r.of : [r]));
  return parts.length === 1 ? parts[0] : { kind: 'word', of: parts };
};

export const either = (a: Regular, b: Regular): Regular => {
  const parts = new Map([a, b].flatMap((r) => (r.kind === 'union' ? r.of : [r])).map((r) => [regularText(r), r]));
  const of = [...parts.values()];
  return of.length === 1 ? of[0] : { kind: 'union', of };
};

/** Any number of times: (ε + r)* is r*, r** is r*. */
export const star = (r: Regular): Regular => {
  if (r.kind === 'star') return r;
  if (r.kind === 'union') {
    const of = r.of.filter((x) => !isEmptyWord(x));
    return { kind: 'star', of: of.length === 1 ? of[0] : { kind: 'union', of } };
  }
  return isEmptyWord(r) ? r : { kind: 'star', of: r };
};

export const isEmptyWord = (r: Regular): boolean => r.kind === 'word' && r.of.length === 0;

export const sizeOf = (r: Regular): number =>
  r.kind === 'letter' ? 1 : r.kind === 'star' ? 1 + sizeOf(r.of) : r.of.reduce((n, x) => n + sizeOf(x), 1);

/** `a·(b + c)*`; the empty word is `ε`. */
export const regularText = (r: Regular): string => {
  switch (r.kind) {
    case 'letter':
      return r.name;
    case 'star':
      return r.of.kind === 'letter' ? `${r.of.name}*` : `(${regularText(r.of)})*`;
    case 'word':
      return r.of.length === 0
        ? 'ε'
        : r.of.map((x) => (x.kind === 'union' ? `(${regularText(x)})` : regularText(x))).join('·');
    case 'union':
      return r.of.map(regularText).join(' + ');
  }
};
