import { type Extents, extentsOf, factorIndices } from '../reference/nests.js';
import type { Assignment, Coefficient, Expr, TensorDecl } from '../notation/expression.js';
import { literal } from './text.js';

/**
 * C++ statements that carry out assignments as Eq. (5) says it, by nested loops over dense arrays of doubles, without anything
 * of the planner. A tensor `t` is the array `names(t)`, its first index fastest; scalars are variables of their names.
 *
 * @param patterns the array that says which entries of an assigned tensor may be non-zero; none: all
 */
export const naiveCode = (
  assignments: readonly Assignment[],
  names: (tensor: TensorDecl) => string,
  scalarNames: (scalar: string) => string,
  patterns: (tensor: TensorDecl) => string | undefined,
): readonly string[] => {
  const writer = new NaiveWriter(names, scalarNames, patterns);
  for (const a of assignments) writer.assignment(a);
  return writer.lines;
};

class NaiveWriter {
  readonly lines: string[] = [];
  private arrays = 0;

  constructor(
    private readonly names: (tensor: TensorDecl) => string,
    private readonly scalarNames: (scalar: string) => string,
    private readonly patterns: (tensor: TensorDecl) => string | undefined,
  ) {}

  assignment({ target, add, value }: Assignment): void {
    const extents = extentsOf({ target, value });
    this.lines.push('{');
    const sum = this.evaluate(value, target.indices, extents);
    const to = this.names(target.tensor);
    const pattern = this.patterns(target.tensor);
    const kept = pattern === undefined ? '' : `if (${pattern}[n]) `;
    this.lines.push(
      `  for (std::size_t n = 0; n < ${to}.size(); ++n) ${kept}${to}[n] ${add ? '+=' : '='} ${sum}[n];`,
      '}',
    );
  }

  /** The name of a new array that holds an expression for all values of these indices. */
  private evaluate(e: Expr, indices: string, extents: Extents): string {
    const out = `sum${this.arrays++}`;
    const size = [...indices].reduce((n, l) => n * extents.get(l)!, 1);
    const declared = `  std::vector<double> ${out}(${size}, 0.0);`;
    switch (e.kind) {
      case 'scale': {
        const of = this.evaluate(e.of, indices, extents);
        this.lines.push(
          declared,
          `  for (std::size_t n = 0; n < ${size}; ++n) ${out}[n] = ${this.coefficient(e.by)} * ${of}[n];`,
        );
        return out;
      }
      case 'add': {
        const terms = e.terms.map((t) => this.evaluate(t, indices, extents));
        this.lines.push(
          declared,
          `  for (std::size_t n = 0; n < ${size}; ++n) ${out}[n] = ${terms.map((t) => `${t}[n]`).join(' + ')};`,
        );
        return out;
      }
      case 'indexed':
        this.lines.push(declared);
        this.product([{ array: this.names(e.tensor), indices: e.indices }], out, indices, extents);
        return out;
      case 'einsum': {
        const own = factorIndices(e.factors, indices);
        const factors = e.factors.map((f, n) => ({
          array: f.kind === 'indexed' ? this.names(f.tensor) : this.evaluate(f, own[n]!, extents),
          indices: own[n]!,
        }));
        this.lines.push(declared);
        this.product(factors, out, indices, extents);
        return out;
      }
    }
  }

  private coefficient({ factor, scalars }: Coefficient): string {
    return [literal(factor, 'f64'), ...scalars.map(this.scalarNames)].join(' * ');
  }

  /** Loops over all indices; factors are multiplied as soon as their indices are known, and what is zero ends there. */
  private product(
    factors: readonly { readonly array: string; readonly indices: string }[],
    out: string,
    indices: string,
    extents: Extents,
  ): void {
    const letters = [...new Set(factors.map((f) => f.indices).join('') + indices)];
    let indent = '  ';
    const at = (of: string): string => {
      let stride = 1;
      const parts = [...of].map((l) => {
        const part = stride === 1 ? `i_${l}` : `${stride} * i_${l}`;
        stride *= extents.get(l)!;
        return part;
      });
      return parts.join(' + ') || '0';
    };
    const multiply = (depth: number): void => {
      const known = factors.filter(
        (f) => [...f.indices].reduce((most, l) => Math.max(most, letters.indexOf(l) + 1), 0) === depth,
      );
      const product = [
        ...(depth > 0 ? [`p${depth - 1}`] : []),
        ...known.map((f) => `${f.array}[${at(f.indices)}]`),
      ].join(' * ');
      this.lines.push(`${indent}const double p${depth} = ${product || '1.0'};`);
      if (known.length > 0 && depth > 0) this.lines.push(`${indent}if (p${depth} == 0.0) continue;`);
    };
    this.lines.push(`${indent}{`);
    indent += '  ';
    multiply(0);
    letters.forEach((l, d) => {
      this.lines.push(`${indent}for (std::size_t i_${l} = 0; i_${l} < ${extents.get(l)!}; ++i_${l}) {`);
      indent += '  ';
      multiply(d + 1);
    });
    this.lines.push(`${indent}${out}[${at(indices)}] += p${letters.length};`);
    for (let d = letters.length; d >= 0; d--) {
      indent = indent.slice(2);
      this.lines.push(`${indent}}`);
    }
  }
}
