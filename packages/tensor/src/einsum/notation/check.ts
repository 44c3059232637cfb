import { describeValue, error, type Diagnostic, DiagnosticError } from '@filigree/ir';
import { layoutKinds, type Expr, type KernelDecl, type TensorDecl } from './expression.js';

/**
 * Throws `DiagnosticError` with everything that is wrong with the tensors of a kernel and with the indices that each
 * alone carries: `notation/name`, `notation/shape`, `notation/pattern`, `notation/values`, `notation/layout`,
 * `notation/index-count`, `notation/index-letter`, `notation/trace`, `notation/read-only`,
 * `notation/two-tensors`, `notation/scalar`, `notation/empty`.
 */
export const checkKernel = (decl: KernelDecl): KernelDecl => {
  const found: Diagnostic[] = [];
  const tensors = new Map<string, TensorDecl>();
  const meet = (t: TensorDecl): void => {
    const known = tensors.get(t.name);
    if (known === undefined) {
      tensors.set(t.name, t);
      found.push(...checkTensor(t));
    } else if (!sameTensor(known, t))
      found.push(
        error('notation/two-tensors', `two different tensors have the name '${t.name}'`, {
          remedy: 'give each tensor of a kernel its own name',
        }),
      );
  };
  if (!isName(decl.name))
    found.push(error('notation/name', `'${decl.name}' is not a kernel's name`, { remedy: NAME_REMEDY }));
  if (decl.assignments.length === 0)
    found.push(error('notation/empty', `kernel '${decl.name}' assigns nothing`, { remedy: 'give it an assignment' }));
  for (const { target, value } of decl.assignments) {
    for (const { tensor, indices } of [target, ...indexedIn(value)]) {
      meet(tensor);
      found.push(...checkIndices(tensor, indices));
    }
    for (const name of scalarsIn(value))
      if (!isName(name) || tensors.has(name))
        found.push(
          error('notation/scalar', `'${name}' is not a scalar's name`, {
            remedy: `use a name that no tensor of the kernel has: ${NAME_REMEDY.replace(/^use /, '')}`,
          }),
        );
    for (const factor of factorsIn(value))
      if (!Number.isFinite(factor))
        found.push(
          error('notation/scalar', `a term of ${target.tensor.name}[${target.indices}] is multiplied by ${factor}`, {
            remedy: 'multiply by finite numbers',
          }),
        );
    const text = `${target.tensor.name}[${target.indices}]`;
    const twice = [...target.indices].find((i, d) => target.indices.indexOf(i) !== d);
    if (twice !== undefined)
      found.push(
        error('notation/trace', `${text} is assigned: index '${twice}' appears twice in it`, {
          remedy: `assign all of '${target.tensor.name}', as a diagonal times an identity`,
        }),
      );
    if (target.tensor.values !== undefined)
      found.push(
        error('notation/read-only', `${text} is assigned, but '${target.tensor.name}' has constant values`, {
          remedy: 'declare it without values, or assign to another tensor',
        }),
      );
  }
  for (const t of decl.prefetch ?? []) meet(t);
  if (found.length > 0) throw new DiagnosticError(found);
  return decl;
};

/** The tensors of an expression as they stand there, from left to right. */
export const indexedIn = (e: Expr): readonly { readonly tensor: TensorDecl; readonly indices: string }[] => {
  if (e.kind === 'indexed') return [e];
  if (e.kind === 'scale') return indexedIn(e.of);
  return (e.kind === 'einsum' ? e.factors : e.terms).flatMap(indexedIn);
};

/** The scalars of a kernel, in order of first use. */
export const scalarsOf = ({ assignments }: KernelDecl): readonly string[] => [
  ...new Set(assignments.flatMap((a) => scalarsIn(a.value))),
];

const factorsIn = (e: Expr): readonly number[] => {
  if (e.kind === 'indexed') return [];
  if (e.kind === 'scale') return [e.by.factor, ...factorsIn(e.of)];
  return (e.kind === 'einsum' ? e.factors : e.terms).flatMap(factorsIn);
};

const scalarsIn = (e: Expr): readonly string[] => {
  if (e.kind === 'indexed') return [];
  if (e.kind === 'scale') return [...e.by.scalars, ...scalarsIn(e.of)];
  return (e.kind === 'einsum' ? e.factors : e.terms).flatMap(scalarsIn);
};

/** Identifiers and members of families; `_tmp0`, `_known0` and the like are the planner's. */
const NAME = /^[A-Za-z]\w*(\(\d+(,\d+)*\))?$/;
const NAME_REMEDY =
  'use letters, digits and _, beginning with a letter, or a member of a family as in kDivM(0); not what every object has, such as constructor';

/** Whether something may be called so; records are looked up by name, and every record has a `constructor`. */
const isName = (name: string): boolean => NAME.test(name) && !(name in {});
const MAX_ORDER = 26;

const checkTensor = (t: TensorDecl): readonly Diagnostic[] => {
  const found: Diagnostic[] = [];
  const say = (code: string, message: string, remedy: string): void => {
    found.push(error(code, `tensor '${t.name}': ${message}`, { remedy }));
  };
  if (!isName(t.name)) say('notation/name', 'this is not a name', NAME_REMEDY);
  if (t.shape.length > MAX_ORDER || t.shape.some((n) => !Number.isInteger(n) || n < 1)) {
    const what =
      t.shape.length > MAX_ORDER ? `${t.shape.length} extents are` : `(${t.shape.map(describeValue).join(', ')}) is`;
    say('notation/shape', `${what} not a shape`, `give at most ${MAX_ORDER} whole extents from 1`);
    return found;
  }
  const size = t.shape.reduce((v, n) => v * n, 1);
  if (size > 2 ** 27) {
    say('notation/shape', `${size} entries are too many for a small tensor`, 'keep tensors below 2^27 entries');
    return found;
  }
  const { pattern, values, layout } = t;
  if (pattern !== undefined && (!Array.isArray(pattern.shape) || !(pattern.bits instanceof Uint8Array)))
    say('notation/pattern', 'its pattern is not { shape, bits }', 'make it by patternOf(shape, entries)');
  else if (pattern !== undefined) {
    const agrees =
      pattern.shape.length === t.shape.length &&
      pattern.shape.every((n, d) => n === t.shape[d]) &&
      pattern.bits.length === size;
    if (!agrees)
      say(
        'notation/pattern',
        `its pattern has the shape (${pattern.shape.join(', ')}), it has (${t.shape.join(', ')}): the pattern reaches outside`,
        'make the pattern of the same shape',
      );
    else if (pattern.bits.some((b) => b > 1))
      say('notation/pattern', 'its pattern has bytes other than 0 and 1', 'use 1 for what may be non-zero');
    else if (values?.length === size) {
      const outside = values.findIndex((v, e) => v !== 0 && pattern.bits[e] === 0);
      if (outside >= 0)
        say(
          'notation/values',
          `entry (${entryOf(outside, t.shape).join(', ')}) has the value ${values[outside]}, but its pattern says zero`,
          'take it into the pattern',
        );
    }
  }
  if (values !== undefined && values.length !== size)
    say('notation/values', `it has ${values.length} values for ${size} entries`, 'give all entries, column-major');
  else {
    const odd = values?.findIndex((v) => !Number.isFinite(v)) ?? -1;
    if (odd >= 0)
      say('notation/values', `entry (${entryOf(odd, t.shape).join(', ')}) is ${values![odd]}`, 'give finite numbers');
  }
  if (layout !== undefined && !layoutKinds.includes(layout))
    say('notation/layout', `there is no layout '${String(layout)}'`, `use one of ${layoutKinds.join(', ')}`);
  else if (layout === 'csc' && t.shape.length !== 2)
    say('notation/layout', `only matrices are stored by columns (csc)`, `use 'compressed' for other orders`);
  return found;
};

const checkIndices = (t: TensorDecl, indices: string): readonly Diagnostic[] => {
  const text = `${t.name}[${indices}]`;
  if (!/^[A-Za-z]*$/.test(indices))
    return [error('notation/index-letter', `${text}: an index is one letter`, { remedy: 'use letters a–z and A–Z' })];
  if (indices.length !== t.shape.length)
    return [
      error('notation/index-count', `${text}: ${indices.length} indices for ${t.shape.length} dimensions`, {
        remedy: 'give one letter for each dimension',
      }),
    ];
  return [];
};

/** The indices of an entry by its place in column-major order. */
export const entryOf = (entry: number, shape: readonly number[]): number[] =>
  shape.map((n) => {
    const i = entry % n;
    entry = (entry - i) / n;
    return i;
  });

const sameTensor = (a: TensorDecl, b: TensorDecl): boolean =>
  a === b ||
  (a.layout === b.layout &&
    sameNumbers(a.shape, b.shape) &&
    sameNumbers(a.pattern?.bits, b.pattern?.bits) &&
    sameNumbers(a.values, b.values));

/** Equal numbers in the same order, or none on both sides. */
export const sameNumbers = (a: ArrayLike<number> | undefined, b: ArrayLike<number> | undefined): boolean => {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  for (let e = 0; e < a.length; e++) if (a[e] !== b[e]) return false;
  return true;
};
