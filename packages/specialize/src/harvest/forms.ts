import { fail } from '@filigree/ir';
import type { Grouping } from '../group/group.js';
import { canonicalForm, type CanonicalForm } from './canonical.js';
import type { HarvestedLeaves } from './columns.js';
import { buildTemplate } from './template.js';
import { readToken } from './token.js';
import type { UnitForm } from './unit-form.js';
import type { Body } from './harvested.js';

/** Longest form that is written out as a tree. */
export const TREE_TOKENS = 250;
/** Longest form at all; longer kernels would not compile in reasonable time. */
export const MAX_TOKENS = 400_000;

/** How many forms are remembered. */
const MAX_FORMS = 1024;

/** The canonical form of the unit that `form` walked last; of units of one form it is found once. */
export const canonicalForms = (d: Grouping, form: UnitForm, tree: boolean): (() => CanonicalForm) => {
  const byHash = new Map<number, { readonly written: Int32Array; readonly canonical: CanonicalForm }>();
  let hash = 0;
  let last: { readonly written: Int32Array; readonly canonical: CanonicalForm } | undefined;
  return () => {
    if (last === undefined || form.hash !== hash) {
      hash = form.hash;
      last = byHash.get(hash);
    }
    if (last !== undefined && sameAsWalked(form, last.written)) return last.canonical;
    const known = { written: form.tokens.slice(0, form.tokenCount), canonical: canonicalForm(d, form, tree) };
    if (byHash.size < MAX_FORMS && !byHash.has(form.hash)) byHash.set(form.hash, known);
    return known.canonical;
  };
};

const sameAsWalked = ({ tokens, tokenCount }: UnitForm, written: Int32Array): boolean => {
  if (tokenCount !== written.length) return false;
  for (let i = 0; i < tokenCount; i++) if (tokens[i] !== written[i]) return false;
  return true;
};

/** Whether two forms are the same. */
export const sameTokens = (a: Int32Array, b: Int32Array): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

/** The kind of each leaf of a canonical form. */
export const leafKinds = (tokens: Int32Array): number[] => {
  const kinds: number[] = [];
  for (const t of tokens) {
    const read = readToken(t);
    if (read.is === 'leaf') kinds.push(read.kind);
  }
  return kinds;
};

/** The template of a canonical form, and what fills its variables. */
export const bodyOf = (d: Grouping, tokens: Int32Array, found: HarvestedLeaves): Body => ({
  template: buildTemplate(
    tokens,
    tokens.length,
    found.columns.length + found.constants.length,
    (i) => found.leaf[i],
    (i) => found.constant[i],
    d.graph.arithmetic,
  ),
  columns: found.columns,
  constants: found.constants,
});

export const tooLarge = (): never =>
  fail('harvest/too-large', `one expression takes more than ${MAX_TOKENS} operations in a single kernel`, {
    remedy: 'allow global decomposition, or tag intermediate values as blocks',
  });
