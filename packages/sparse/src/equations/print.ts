import { affineText } from '../trace/affine-text.js';
import type { Affine } from '../trace/piece.js';
import type { Letter } from './language/equations.js';
import type { Expr, Read } from './read/program.js';
import type { Recurrence, Recurrences } from './recurrences/recurrences.js';
import type { Divisions } from './recurrences/divisions.js';
import { isConstant, negated, sameAffine, times, type Conjunction } from './sets/conjunction.js';
import { isEmpty, withoutImplied } from './sets/integer-points.js';

/** `1 ≤ i ≤ 8, j ≤ i`, empty for no condition. Bounds of one iterator stand together. */
const conditionsText = (set: Conjunction, names: readonly string[]): string => {
  const parts: string[] = [];
  const done = new Set<Affine>();
  for (const f of set) {
    if (done.has(f)) continue;
    done.add(f);
    const opposite = set.find(
      (g) => !done.has(g) && f.coefs.every((c, d) => (g.coefs[d] ?? 0) === -c) && g.coefs.length === f.coefs.length,
    );
    if (opposite === undefined) {
      parts.push(comparisonText(f, names));
      continue;
    }
    done.add(opposite);
    const lower = (f.coefs.find((c) => c !== 0) ?? 1) > 0 ? f : opposite;
    const upper = lower === f ? opposite : f;
    const middle = affineText({ constant: 0, coefs: lower.coefs }, names);
    parts.push(
      -lower.constant === upper.constant
        ? `${middle} = ${upper.constant}`
        : `${-lower.constant} ≤ ${middle} ≤ ${upper.constant}`,
    );
  }
  return parts.join(', ');
};

/* What is added on one side, what is taken away on the other. */
const comparisonText = (f: Affine, names: readonly string[]): string => {
  const positive: Affine = { constant: 0, coefs: f.coefs.map((c) => Math.max(c, 0)) };
  const negative: Affine = { constant: 0, coefs: f.coefs.map((c) => Math.max(-c, 0)) };
  if (isConstant(positive)) return `${affineText(negative, names)} ≤ ${f.constant}`;
  if (isConstant(negative)) return `${affineText(positive, names)} ≥ ${-f.constant}`;
  const strict = f.constant === -1;
  const left = affineText(negative, names);
  return strict
    ? `${left} < ${affineText(positive, names)}`
    : `${left} ≤ ${affineText({ ...positive, constant: f.constant }, names)}`;
};

/**
 * Conditions without what divisions are anyway, and without those that the others or a context imply. Of an equality both
 * halves stay, so that it is written as one.
 */
const shownConditions = (set: Conjunction, divisions: Divisions, context: Conjunction = []): Conjunction => {
  const definitions = divisions.definitions();
  const kept = withoutImplied(set, [...context, ...definitions]);
  if (definitions.length === 0) return kept;
  const opposites = kept.map((f) => times(f, -1)).filter((f) => kept.every((g) => !sameAffine(f, g)));
  return [...kept, ...opposites.filter((f) => isEmpty([...context, ...definitions, ...kept, negated(f)]))];
};

/** `a = {(t - 1, i) → (t, i) : t ≥ 1} ∪ …` */
export const letterText = ({ name, to, pieces }: Letter, { equations }: Recurrences): string => {
  const { statement, divisions } = equations.find((r) => `L_${r.statement.name}` === to)!;
  const names = divisions.names(statement.iterators);
  const target = `(${statement.iterators.join(', ')})`;
  const shown = pieces.map(({ where, atoms }) => {
    const source = atoms.length === 0 ? '()' : `(${atoms[0].at.map((f) => affineText(f, names)).join(', ')})`;
    const conditions = conditionsText(shownConditions(where, divisions), names);
    return `{${source} → ${target}${conditions === '' ? '' : ` : ${conditions}`}}`;
  });
  return `${name} = ${shown.join(' ∪ ')}`;
};

/** A statement as a recurrence, each read replaced by its sources. */
export const recurrenceText = (system: Recurrences, r: Recurrence): string => {
  const { iterators, name, domain } = r.statement;
  const text = new RecurrenceText(system, r);
  const where = domain.map((set) => conditionsText(withoutImplied(set), iterators)).join(' or ');
  return `${name}[${iterators.join(', ')}] = ${text.of(r.statement.value, 0)}${where === '' ? '' : ` : ${where}`}`;
};

class RecurrenceText {
  private readonly names: readonly string[];

  constructor(
    private readonly system: Recurrences,
    private readonly r: Recurrence,
  ) {
    this.names = r.divisions.names(r.statement.iterators);
  }

  /** `level`: 0 in a sum, 1 in a product, 2 under a sign or in an argument. */
  of(e: Expr, level: number): string {
    const { names } = this;
    switch (e.kind) {
      case 'read':
        return this.read(e);
      case 'number':
        return String(Number(e.value.toPrecision(6)));
      case 'parameter':
        return e.name;
      case 'index':
        return isConstant(e.value) ? String(e.value.constant) : `(${affineText(e.value, names)})`;
      case 'if':
        return `{${this.of(e.then, 0)} if ${this.sets(e.when)}; ${this.of(e.otherwise, 0)} if ${this.sets(e.unless)}}`;
      case 'apply': {
        const { name } = e.op;
        const [a, b] = e.args;
        if (name === 'arith.add') return bracket(`${this.of(a, 0)} + ${this.of(b, 0)}`, level > 0);
        if (name === 'arith.sub') return bracket(`${this.of(a, 0)} - ${this.of(b, 1)}`, level > 0);
        if (name === 'arith.mul') return bracket(`${this.of(a, 1)}·${this.of(b, 1)}`, level > 1);
        if (name === 'arith.div') return bracket(`${this.of(a, 1)}/${this.of(b, 2)}`, level > 1);
        if (name === 'arith.neg') return bracket(`-${this.of(a, 2)}`, level > 0);
        return `${name.replace(/^\w+\./, '')}(${e.args.map((x) => this.of(x, 0)).join(', ')})`;
      }
    }
  }

  private read(read: Read): string {
    const { names } = this;
    const pieces = this.r.sources.get(read)!.map(({ statement, at, where }) => ({
      text: `${statement === undefined ? read.array : this.system.program.statements[statement].name}[${at.map((f) => affineText(f, names)).join(', ')}]`,
      when: conditionsText(this.beyondDomain(where), names),
    }));
    if (pieces.length === 1) return pieces[0].text;
    return `{${pieces.map(({ text, when }) => (when === '' ? text : `${text} if ${when}`)).join('; ')}}`;
  }

  private sets(sets: readonly Conjunction[]): string {
    return sets.map((s) => conditionsText(s, this.r.statement.iterators)).join(' or ');
  }

  /** Conditions without those of the domain, which stand behind the equation. */
  private beyondDomain(where: Conjunction): Conjunction {
    const { domain } = this.r.statement;
    return domain.length === 1 ? shownConditions(where, this.r.divisions, domain[0]) : where;
  }
}

const bracket = (text: string, needed: boolean): string => (needed ? `(${text})` : text);
