import { components } from './components.js';
import {
  followedBy,
  languageOf,
  languageSize,
  unionOf,
  type Base,
  type Language,
  type LanguageSystem,
  type Summand,
} from './equations.js';
import { star, type Regular } from './regular.js';

/** A system of language equations, solved as far as languages go. */
export interface LanguageSolution {
  readonly system: LanguageSystem;
  /** L_S in terms of inputs, and of statements where a cycle remains. */
  readonly solved: readonly Language[];
  /** Statements that depend on one another, in the order in which they can be evaluated. */
  readonly components: readonly Component[];
}

export interface Component {
  readonly statements: readonly number[];
  /** Whether a statement depends on itself. */
  readonly cyclic: boolean;
  /** Whether a cycle goes through an intersection: Arden's lemma does not apply, and it is evaluated to a fix-point. */
  readonly intersected: boolean;
}

/**
 * Resolution: every variable is eliminated, the last first, by Arden's lemma (L = L·a + R has the least solution R·a*) and
 * substitution. Where a cycle goes through an intersection the lemma does not apply: only what such a variable has of
 * itself alone is resolved, and the cycle remains.
 */
export const solve = (system: LanguageSystem): LanguageSolution => {
  const { equations } = system;
  const found = components(equations.length, (k) => variablesOf(equations[k]));
  const solved: Language[] = [...equations];
  const order = found.map((statements): Component => {
    const mine = new Set(statements);
    const cyclic = statements.length > 1 || variablesOf(equations[statements[0]]).includes(statements[0]);
    const intersected = statements.some((s) => [...equations[s].values()].some((x) => inIntersection(x, mine)));
    for (const s of statements)
      solved[s] = substitute(equations[s], (v) => (mine.has(v) ? undefined : inlined(solved[v], v)));
    if (intersected) for (const s of statements) solved[s] = arden(solved[s], s);
    else eliminate(solved, statements);
    return { statements, cyclic, intersected };
  });
  return { system, solved, components: order };

  /* What is long, or part of a remaining cycle, keeps its name. */
  function inlined(l: Language, v: number): Language | undefined {
    return variablesOf(l).includes(v) || languageSize(l) > LONG ? undefined : l;
  }
};

/** A language of so many symbols is referred to by its name. */
const LONG = 120;

/** From the last to the first, then back. */
const eliminate = (solved: Language[], statements: readonly number[]): void => {
  for (let k = statements.length - 1; k >= 0; k--) {
    const s = statements[k];
    solved[s] = arden(solved[s], s);
    for (let j = 0; j < k; j++)
      solved[statements[j]] = substitute(solved[statements[j]], (v) => (v === s ? solved[s] : undefined));
  }
  for (let k = 1; k < statements.length; k++)
    solved[statements[k]] = substitute(solved[statements[k]], (v) =>
      statements.indexOf(v) < k && statements.includes(v) ? solved[v] : undefined,
    );
};

/** L = L·a + R, so L = R·a*. */
const arden = (l: Language, self: number): Language => {
  let loop: Regular | undefined;
  const rest: Summand[] = [];
  for (const s of l.values()) {
    if (s.base.kind === 'variable' && s.base.statement === self) loop = s.then;
    else rest.push(s);
  }
  return loop === undefined ? l : followedBy(languageOf(rest), star(loop));
};

/** Variables replaced by languages, within intersections too; those without stay. */
const substitute = (l: Language, by: (statement: number) => Language | undefined): Language =>
  unionOf(
    [...l.values()].map((s): Language => {
      if (s.base.kind === 'variable') {
        const known = by(s.base.statement);
        return known === undefined ? languageOf([s]) : followedBy(known, s.then);
      }
      if (s.base.kind !== 'intersection') return languageOf([s]);
      const of = s.base.of.map((x) => substitute(x, by));
      return of.some((x) => x.size === 0)
        ? languageOf([])
        : languageOf([{ base: { kind: 'intersection', of }, then: s.then }]);
    }),
  );

const variablesOf = (l: Language): readonly number[] => [
  ...new Set([...l.values()].flatMap((s) => variablesOfBase(s.base))),
];

const variablesOfBase = (b: Base): readonly number[] =>
  b.kind === 'variable' ? [b.statement] : b.kind === 'intersection' ? b.of.flatMap(variablesOf) : [];

const inIntersection = (s: Summand, statements: ReadonlySet<number>): boolean =>
  s.base.kind === 'intersection' && variablesOfBase(s.base).some((v) => statements.has(v));
