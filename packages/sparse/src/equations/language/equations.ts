import type { SparsityEquation, Term } from '../recurrences/sparsity.js';
import { EMPTY_WORD, concat, either, isEmptyWord, letter, regularText, sizeOf, type Regular } from './regular.js';

/**
 * A language: a union of bases, each followed by a regular expression. Bases are variables (statements), input arrays,
 * the constant 1, and intersections of languages, which concatenation does not enter.
 */
export type Language = ReadonlyMap<string, Summand>;

export interface Summand {
  readonly base: Base;
  readonly then: Regular;
}

export type Base =
  | { readonly kind: 'variable'; readonly statement: number; readonly name: string }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'constant' }
  | { readonly kind: 'intersection'; readonly of: readonly Language[] };

/** What a letter stands for: pieces of a relation, each a term with one atom. */
export interface Letter {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly pieces: readonly Term[];
}

/** L_S = … for every statement, in the order of the program. */
export interface LanguageSystem {
  readonly names: readonly string[];
  readonly equations: readonly Language[];
  readonly letters: readonly Letter[];
}

/**
 * Sparsity equations as equations between languages: relations and input sets become letters, composition becomes
 * concatenation, union becomes union. All relations between the same two sets are one letter.
 */
export const languageEquations = (equations: readonly SparsityEquation[]): LanguageSystem => {
  const names = equations.map((e) => e.recurrence.statement.name);
  const letters: Letter[] = [];
  const newLetter = (from: string, to: string, pieces: readonly Term[]): Regular => {
    const name = letterName(letters.length);
    letters.push({ name, from, to, pieces });
    return letter(name);
  };
  const baseOf = (of: number | string | undefined): Base =>
    of === undefined
      ? { kind: 'constant' }
      : typeof of === 'number'
        ? { kind: 'variable', statement: of, name: names[of] }
        : { kind: 'input', name: of };
  const single = (of: number | string | undefined, self: string, pieces: readonly Term[]): Language => {
    const base = baseOf(of);
    return languageOf([{ base, then: newLetter(baseText(base), self, pieces) }]);
  };
  return {
    names,
    letters,
    equations: equations.map(({ carry, interest }, k) => {
      const self = `L_${names[k]}`;
      const groups = new Map<number | string | undefined, Term[]>();
      const products: Term[] = [];
      for (const t of [...carry, ...interest]) {
        if (t.atoms.length > 1) products.push(t);
        else groups.set(t.atoms[0]?.of, [...(groups.get(t.atoms[0]?.of) ?? []), t]);
      }
      /* The statement itself first, then other statements, then inputs. */
      const rank = (of: number | string | undefined): number => (of === k ? -1 : typeof of === 'number' ? of : 1e9);
      const order = [...groups.keys()].sort((a, b) => rank(a) - rank(b));
      const linear = order.map((of) => single(of, self, groups.get(of)!));
      const meets = intersections(products).map((group): Language => {
        const of = group[0].atoms.map((a, n) =>
          single(
            a.of,
            self,
            group.map(({ where, atoms }) => ({ where, atoms: [atoms[n]] })),
          ),
        );
        return languageOf([{ base: { kind: 'intersection', of }, then: EMPTY_WORD }]);
      });
      return unionOf([...linear, ...meets]);
    }),
  };
};

/**
 * Terms with several atoms. Those that differ only in where they hold are combined: their sets are disjoint pieces of
 * one intersection.
 */
const intersections = (terms: readonly Term[]): readonly (readonly Term[])[] => {
  const groups = new Map<string, Term[]>();
  for (const t of terms) {
    const key = JSON.stringify(t.atoms);
    groups.set(key, [...(groups.get(key) ?? []), t]);
  }
  return [...groups.values()];
};

export const languageOf = (summands: readonly Summand[]): Language => {
  const out = new Map<string, Summand>();
  for (const s of summands) {
    const key = baseText(s.base);
    const before = out.get(key);
    out.set(key, before === undefined ? s : { base: s.base, then: either(before.then, s.then) });
  }
  return out;
};

export const unionOf = (all: readonly Language[]): Language => languageOf(all.flatMap((l) => [...l.values()]));

/** Every word of the language followed by one of the expression. */
export const followedBy = (l: Language, r: Regular): Language =>
  languageOf([...l.values()].map((s) => ({ base: s.base, then: concat(s.then, r) })));

/** `L_S·a + L_In·b`, `∅` for none; intersections as `(L_A·a ∩ L_B·b)`. */
export const languageText = (l: Language): string =>
  l.size === 0 ? '∅' : [...l.values()].map(summandText).join(' + ');

const summandText = ({ base, then: r }: Summand): string =>
  isEmptyWord(r) ? baseText(base) : `${baseText(base)}·${r.kind === 'union' ? `(${regularText(r)})` : regularText(r)}`;

const baseText = (b: Base): string => {
  switch (b.kind) {
    case 'constant':
      return '1';
    case 'intersection':
      return `(${b.of.map((l) => (l.size > 1 ? `(${languageText(l)})` : languageText(l))).join(' ∩ ')})`;
    default:
      return `L_${b.name}`;
  }
};

export const languageSize = (l: Language): number =>
  [...l.values()].reduce(
    (n, s) =>
      n + sizeOf(s.then) + (s.base.kind === 'intersection' ? s.base.of.reduce((m, x) => m + languageSize(x), 0) : 1),
    0,
  );

/** a, b, …, z, a1, b1, … */
const letterName = (k: number): string => `${String.fromCharCode(97 + (k % 26))}${k < 26 ? '' : Math.floor(k / 26)}`;
