import { parseExpr, type Csr, type Expr } from '@filigree/sparse';
import { right } from '../api/build.js';
import { workspace } from './workspace.js';

/** A baseline ready to run. */
export interface EigenBaseline {
  readonly run: () => void;
  readonly close: () => void;
}

/**
 * The expression in C++ with Eigen, where the repository's benchmarks have it (up to the names of matrices), and where they,
 * a compiler and Eigen are at hand; else why not.
 */
export const eigenBaseline = async (
  root: Expr,
  matrices: Readonly<Record<string, Csr<ArrayLike<number>>>>,
  dtype: 'f32' | 'f64',
): Promise<EigenBaseline | string> => {
  const bench = await workspace<Bench>('@filigree/bench');
  const programs = await workspace<Programs>('@filigree/e2e');
  if (typeof bench === 'string' || typeof programs === 'string') return "the repository's benchmarks are not at hand";
  for (const [name, text] of Object.entries(programs.MATRIX_EXPRESSIONS)) {
    const theirs = right(parseExpr(text)).root;
    const names = new Map<string, string>();
    const known = bench.EXPRESSION_CASES[name];
    if (!known || !sameUpToNames(theirs, root, names)) continue;
    const inputs = [...names].sort(([a], [b]) => slotOf(text, a) - slotOf(text, b)).map(([, ours]) => matrices[ours]);
    if (inputs.some((m) => m === undefined)) return 'a number stands where the baseline takes a matrix';
    const made = bench.nativeBaseline(
      known.eigen,
      dtype,
      { matrices: inputs, ...(known.integers ? { integers: known.integers } : {}) },
      { eigen: true },
    );
    return 'found' in made ? made.found : made.missing;
  }
  return 'the benchmarks have no Eigen form of this expression';
};

interface Bench {
  readonly EXPRESSION_CASES: Readonly<
    Record<string, { readonly eigen: string; readonly integers?: readonly ArrayLike<number>[] }>
  >;
  readonly nativeBaseline: (
    name: string,
    dtype: 'f32' | 'f64',
    inputs: {
      readonly matrices: readonly Csr<ArrayLike<number>>[];
      readonly integers?: readonly ArrayLike<number>[];
    },
    options: { readonly eigen: boolean },
  ) => { readonly found: EigenBaseline } | { readonly missing: string };
}

interface Programs {
  readonly MATRIX_EXPRESSIONS: Readonly<Record<string, string>>;
}

/* Baselines take matrices in the order in which their expression names them. */
const slotOf = (text: string, name: string): number => text.indexOf(name);

/** Whether two trees are the same once names of the first are replaced by names of the second, one for one. */
const sameUpToNames = (a: Expr, b: Expr, names: Map<string, string>): boolean => {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'name' && b.kind === 'name') {
    const known = names.get(a.name);
    if (known !== undefined) return known === b.name;
    if ([...names.values()].includes(b.name)) return false;
    names.set(a.name, b.name);
    return true;
  }
  if (a.kind === 'number' && b.kind === 'number') return a.value === b.value;
  if ('arg' in a && 'arg' in b) return sameUpToNames(a.arg, b.arg, names);
  if ('left' in a && 'left' in b) return sameUpToNames(a.left, b.left, names) && sameUpToNames(a.right, b.right, names);
  return false;
};
