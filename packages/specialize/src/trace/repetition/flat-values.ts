import { Sym, type Graph } from '@filigree/ir';
import type { Stretches } from './stretches.js';

/* What stands at a place of a value, in its form: a list and its length, a plain value, a symbol that is */
const [
  LIST,
  PLAIN,
  /* value p of the stretch, */ OWN,
  /* its leaf k, */ LEAF,
  /* the k-th that is not yet one, */ NEW,
  /* a number. */ NUMBER,
] = [0, 1, 2, 3, 4, 5] as const;

/** Lists of numbers, truth values and symbols in each other. */
export interface Flat {
  /** Equal for values that differ only in numbers, and in symbols that are alike to the stretch that is recorded. */
  readonly form: readonly number[];
  readonly items: readonly unknown[];
  readonly lists: readonly unknown[];
  readonly lengths: readonly number[];
}

/** A value taken apart; undefined where it holds anything else, a list twice, or more than so many items. */
export const flatten = (
  graph: Graph,
  stretches: Stretches,
  value: readonly unknown[],
  most: number,
): Flat | undefined => {
  const form: number[] = [];
  const items: unknown[] = [];
  const lists: unknown[] = [];
  const lengths: number[] = [];
  const fresh: number[] = [];
  const visit = (x: unknown): boolean => {
    if (Array.isArray(x)) {
      if (items.length + x.length > most || lists.includes(x)) return false;
      lists.push(x);
      lengths.push(x.length);
      form.push(LIST, x.length);
      for (let i = 0; i < x.length; i++) if (!visit(x[i])) return false;
      return true;
    }
    if (items.push(x) > most) return false;
    if (!(x instanceof Sym)) {
      form.push(PLAIN);
      return typeof x === 'number' || typeof x === 'boolean';
    }
    if (x.graph !== graph) return false;
    const { at } = x;
    if (at < 0 && ~at >= stretches.base) form.push(OWN, ~at - stretches.base);
    else if (at >= 0 && graph.isConstant(at)) form.push(NUMBER, at);
    else {
      const k = stretches.placeOfLeaf(at);
      if (k >= 0) form.push(LEAF, k);
      else {
        let n = fresh.indexOf(at);
        if (n < 0) n = fresh.push(at) - 1;
        form.push(NEW, n);
      }
    }
    return true;
  };
  return visit(value) ? { form, items, lists, lengths } : undefined;
};

/** Whether a value that was taken apart holds what it did. */
export const isStill = (value: unknown, { items, lists, lengths }: Flat): boolean => {
  let [item, list] = [0, 0];
  const visit = (x: unknown): boolean => {
    if (!Array.isArray(x)) return Object.is(x, items[item++]);
    const known = list++;
    /* That of the arguments themselves is made for the call. */
    return (known === 0 || x === lists[known]) && x.length === lengths[known] && x.every(visit);
  };
  return visit(value);
};

/** How to make a value again of values of a stretch, and of arguments. */
export type Recipe =
  | { readonly is: 'plain'; readonly value: unknown }
  | { readonly is: 'own'; readonly place: number }
  | { readonly is: 'argument'; readonly item: number }
  | { readonly is: 'number'; readonly node: number }
  /** A list of values of the stretch, which most long results are. */
  | { readonly is: 'owns'; readonly places: Int32Array }
  | { readonly is: 'list'; readonly of: readonly Recipe[] };

/** Undefined for what is made of anything else, shares lists with arguments or within, or has more than so many items. */
export const recipeOf = (
  graph: Graph,
  base: number,
  { items, lists }: Flat,
  value: unknown,
  most: number,
): { readonly recipe: Recipe; readonly size: number } | undefined => {
  const met = [...lists];
  let size = 0;
  const visit = (x: unknown): Recipe | undefined => {
    if (++size > most) return undefined;
    if (Array.isArray(x)) {
      if (met.includes(x)) return undefined;
      met.push(x);
      const of: Recipe[] = [];
      for (let i = 0; i < x.length; i++) {
        const made = visit(x[i]);
        if (made === undefined) return undefined;
        of.push(made);
      }
      const places = of.flatMap((r) => (r.is === 'own' ? [r.place] : []));
      return places.length === of.length ? { is: 'owns', places: Int32Array.from(places) } : { is: 'list', of };
    }
    if (typeof x === 'number' || typeof x === 'boolean' || (x === undefined && size === 1))
      return { is: 'plain', value: x };
    if (!(x instanceof Sym) || x.graph !== graph) return undefined;
    const { at } = x;
    if (at < 0 && ~at >= base) return { is: 'own', place: ~at - base };
    if (at >= 0 && graph.isConstant(at)) return { is: 'number', node: at };
    const item = items.findIndex((y) => y instanceof Sym && y.at === at);
    return item < 0 ? undefined : { is: 'argument', item };
  };
  const recipe = visit(value);
  return recipe && { recipe, size };
};

/** The value that a recipe makes of the values of a stretch from `base` on. */
export const rebuild = (recipe: Recipe, graph: Graph, base: number, items: readonly unknown[]): unknown => {
  switch (recipe.is) {
    case 'plain':
      return recipe.value;
    case 'own':
      return new Sym(graph, ~(base + recipe.place));
    case 'argument':
      return items[recipe.item];
    case 'number':
      return new Sym(graph, recipe.node);
    case 'owns':
      return symbols(graph, base, recipe.places);
    case 'list':
      return recipe.of.map((r) => rebuild(r, graph, base, items));
  }
};

const symbols = (graph: Graph, base: number, places: Int32Array): Sym[] => {
  const list: Sym[] = [];
  for (let i = 0; i < places.length; i++) list.push(new Sym(graph, ~(base + places[i])));
  return list;
};
