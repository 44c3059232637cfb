import { fail, type Loc, pass, type Diagnostics } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import { plus, scaled, times } from './build.js';
import type { Assignment, Coefficient, Expr, KernelDecl, TensorDecl } from './expression.js';

/**
 * A kernel from its formula, `Q[skp] += I[slq]*K[lk]*A[qp]`: assignments `=`, `+=`, `-=` separated by `;` or new lines,
 * with sums, differences, products, parentheses, numbers and named scalars (a name without brackets). Members of families
 * are `kDivM(0)[kl]`; a tensor without dimensions is `s[]`.
 *
 * Codes, with line and column: `notation/syntax`, `notation/index-letter`, `notation/unknown-tensor`, `notation/scalar`.
 *
 * @param tensors what the names in front of brackets stand for
 */
export const parseKernel = (
  text: string,
  tensors: Readonly<Record<string, TensorDecl>>,
  name = 'kernel',
): E.Either<Diagnostics, KernelDecl> =>
  pass('parseKernel', (source: string) => ({ name, assignments: new Parser(source, tensors).kernel() })).run(text);

interface Token {
  readonly kind: 'name' | 'number' | 'symbol' | 'end';
  readonly text: string;
  readonly loc: Loc;
}

/** What stands between operators: a number with scalars, or an expression over tensors. */
type Value = { readonly kind: 'scalar'; readonly by: Coefficient } | { readonly kind: 'tensor'; readonly expr: Expr };

const MAX_DEPTH = 200;

class Parser {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;
  constructor(
    text: string,
    private readonly tensors: Readonly<Record<string, TensorDecl>>,
  ) {
    this.tokens = tokenize(text);
  }

  kernel(): readonly Assignment[] {
    const assignments: Assignment[] = [];
    while (this.accept(';'));
    while (!this.ended) {
      assignments.push(this.assignment());
      if (!this.sees(';') && !this.ended) this.unexpected(`an operator, ';' or the end`);
      while (this.accept(';'));
    }
    if (assignments.length === 0) this.unexpected('an assignment');
    return assignments;
  }

  private assignment(): Assignment {
    const { loc } = this.token;
    const target = this.primary();
    if (target.kind !== 'tensor' || target.expr.kind !== 'indexed')
      return fail('notation/syntax', 'an assignment begins with the tensor that is assigned', {
        loc,
        remedy: 'write as in Q[ij] = A[ik]*B[kj]; what has no index is s[] = A[ij]*B[ij]',
      });
    const op = ['=', '+=', '-='].find((s) => this.accept(s));
    if (op === undefined) return this.unexpected(`'=', '+=' or '-='`);
    const begin = this.token.loc;
    const value = this.tensorValue(this.sum(), 'the right-hand side', begin);
    const { tensor, indices } = target.expr;
    return {
      target: { tensor, indices },
      add: op !== '=',
      value: op === '-=' ? scaled({ factor: -1, scalars: [] }, value) : value,
    };
  }

  private sum(): Value {
    let left = this.accept('-') ? negate(this.product()) : (this.accept('+'), this.product());
    for (;;) {
      const minus = this.sees('-');
      if (!minus && !this.sees('+')) return left;
      const { loc } = this.next();
      const right = this.product();
      left = this.plus(left, minus ? negate(right) : right, loc);
    }
  }

  private product(): Value {
    let left = this.primary();
    for (;;) {
      const divide = this.sees('/');
      if (!divide && !this.sees('*')) {
        if (['name', 'number'].includes(this.token.kind) || this.sees('('))
          this.unexpected(`an operator, ';' or the end`);
        return left;
      }
      const { loc } = this.next();
      const right = this.primary();
      if (!divide) left = multiply(left, right);
      else if (right.kind === 'scalar' && right.by.scalars.length === 0 && right.by.factor !== 0)
        left = multiply(left, { kind: 'scalar', by: { factor: 1 / right.by.factor, scalars: [] } });
      else
        fail('notation/scalar', 'only a number other than 0 can divide', {
          loc,
          remedy: 'multiply by a scalar, or by a tensor, that holds reciprocals',
        });
    }
  }

  private primary(): Value {
    const token = this.next();
    if (token.kind === 'number') return { kind: 'scalar', by: { factor: finite(token), scalars: [] } };
    if (token.text === '(') {
      if (++this.depth > MAX_DEPTH)
        fail('notation/syntax', 'parentheses nest too deep', { loc: token.loc, remedy: `nest at most ${MAX_DEPTH}` });
      const inner = this.sum();
      this.expect(')');
      this.depth--;
      return inner;
    }
    if (token.text === '-') return negate(this.primary());
    if (token.kind !== 'name') {
      this.at--;
      return this.unexpected('a tensor, a number or a scalar');
    }
    const name = token.text + this.members();
    if (!this.accept('[')) {
      if (Object.hasOwn(this.tensors, name))
        fail('notation/scalar', `'${name}' is a tensor and stands here without indices`, {
          loc: token.loc,
          remedy:
            this.tensors[name].shape.length === 0
              ? `write ${name}[]`
              : `write ${name}[…] with a letter for each dimension`,
        });
      return { kind: 'scalar', by: { factor: 1, scalars: [name] } };
    }
    const indices = this.indices(name);
    if (!Object.hasOwn(this.tensors, name))
      fail('notation/unknown-tensor', `there is no tensor '${name}'`, {
        loc: token.loc,
        remedy: `declare ${name}, or use one of: ${Object.keys(this.tensors).join(', ')}`,
      });
    return { kind: 'tensor', expr: { kind: 'indexed', tensor: this.tensors[name], indices } };
  }

  /** The letters up to `]`. */
  private indices(tensor: string): string {
    const { loc } = this.token;
    const parts: string[] = [];
    while (['name', 'number'].includes(this.token.kind) || this.sees(',')) parts.push(this.next().text);
    if (!this.sees(']')) this.unexpected(`']'`);
    this.next();
    const [indices = ''] = parts;
    if (parts.length > 1 || !/^[A-Za-z]*$/.test(indices))
      fail(
        'notation/index-letter',
        `${tensor}[${parts.join(' ')}]: an index is one letter, and letters stand side by side`,
        {
          loc,
          remedy: 'write as in Q[kp], with letters a–z and A–Z',
        },
      );
    return indices;
  }

  /** `(0,2)` right after a name that is followed by a bracket or stands for a scalar of a family. */
  private members(): string {
    if (!this.sees('(')) return '';
    this.next();
    const indices: string[] = [];
    do {
      if (this.token.kind !== 'number' || !/^\d+$/.test(this.token.text))
        this.unexpected(`a member's number`, ONLY_SUMS_AND_PRODUCTS);
      indices.push(this.next().text);
    } while (this.accept(','));
    this.expect(')');
    return `(${indices.join(',')})`;
  }

  private plus(a: Value, b: Value, loc: Loc): Value {
    if (a.kind === 'scalar' && b.kind === 'scalar' && a.by.scalars.length === 0 && b.by.scalars.length === 0)
      return { kind: 'scalar', by: { factor: a.by.factor + b.by.factor, scalars: [] } };
    return {
      kind: 'tensor',
      expr: plus(this.tensorValue(a, 'a term', loc), this.tensorValue(b, 'a term', loc)),
    };
  }

  private tensorValue(v: Value, what: string, loc: Loc): Expr {
    if (v.kind === 'tensor') return v.expr;
    const [name = 's'] = v.by.scalars;
    return fail('notation/scalar', `${what} is a scalar, and tensors are needed here`, {
      loc,
      remedy: `a scalar may only multiply a tensor; a tensor has its indices in brackets, none of one without dimensions: ${name}[]`,
    });
  }

  private get token(): Token {
    return this.tokens[this.at];
  }

  private get ended(): boolean {
    return this.token.kind === 'end';
  }

  private next(): Token {
    const token = this.tokens[this.at];
    if (token.kind !== 'end') this.at++;
    return token;
  }

  private sees(text: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === text;
  }

  private accept(text: string): boolean {
    const there = this.sees(text);
    if (there) this.at++;
    return there;
  }

  private expect(text: string): void {
    if (!this.accept(text)) this.unexpected(`'${text}'`);
  }

  private unexpected(wanted: string, remedy = EXAMPLE): never {
    const { kind, text, loc } = this.token;
    return fail('notation/syntax', `expected ${wanted}, found ${kind === 'end' ? 'the end' : `'${text}'`}`, {
      loc,
      remedy,
    });
  }
}

const EXAMPLE = 'write as in Q[skp] += I[slq]*K[lk]*A[qp] - 0.5*(B[skp] + dt*C[skp])';
const ONLY_SUMS_AND_PRODUCTS =
  'a formula is made of sums and products, without functions: give a tensor of their values; kDivM(0)[kl] is a member of a family of tensors';

const finite = ({ text, loc }: Token): number => {
  const x = Number(text);
  if (!Number.isFinite(x))
    fail('notation/scalar', `the number ${text} is too large`, { loc, remedy: 'use numbers up to 1.7e308' });
  return x;
};

const multiply = (a: Value, b: Value): Value => {
  if (a.kind === 'tensor' && b.kind === 'tensor') return { kind: 'tensor', expr: times(a.expr, b.expr) };
  if (a.kind === 'scalar' && b.kind === 'scalar')
    return {
      kind: 'scalar',
      by: { factor: a.by.factor * b.by.factor, scalars: [...a.by.scalars, ...b.by.scalars] },
    };
  if (a.kind === 'scalar') return multiply(b, a);
  return b.kind === 'scalar' ? { kind: 'tensor', expr: scaled(b.by, a.expr) } : a;
};

const negate = (v: Value): Value => multiply(v, { kind: 'scalar', by: { factor: -1, scalars: [] } });

const PATTERN = /([ \t\r]+)|(\n)|([A-Za-z_]\w*)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(\+=|-=|[-+*/=()[\],;])/y;

const tokenize = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let line = 1;
  let begin = 0;
  let depth = 0;
  let lineEnd: Token | undefined;
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < text.length) {
    const at = PATTERN.lastIndex;
    const loc = { file: '<kernel>', line, column: at - begin + 1 };
    const found = PATTERN.exec(text);
    if (found === null)
      return fail('notation/syntax', `'${String.fromCodePoint(text.codePointAt(at)!)}' means nothing here`, {
        loc,
        remedy: text.startsWith('>', at)
          ? "an arrow has no meaning here: for 'ij,jk->ik' write C[ik] = A[ij]*B[jk]"
          : text.startsWith('^', at)
            ? 'a power is a product: for x[i]^2 write x[i]*x[i]'
            : 'use names, numbers, [ ] ( ) + - * / = += -= , ;',
      });
    const [, , newline, name, number, symbol] = found;
    if (newline !== undefined) {
      // A line ends a statement where it could end.
      const last = tokens.at(-1);
      const open = last === undefined || (last.kind === 'symbol' && last.text !== ']' && last.text !== ')');
      if (depth === 0 && !open) tokens.push((lineEnd = { kind: 'symbol', text: ';', loc }));
      line++;
      begin = at + 1;
    } else if (name !== undefined) tokens.push({ kind: 'name', text: name, loc });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, loc });
    else if (symbol !== undefined) {
      depth += '(['.includes(symbol) ? 1 : ')]'.includes(symbol) ? -1 : 0;
      // A line that begins with an operator goes on with the one before.
      if (lineEnd !== undefined && '+-*/='.includes(symbol[0]) && tokens.at(-1) === lineEnd) tokens.pop();
      tokens.push({ kind: 'symbol', text: symbol, loc });
    }
  }
  tokens.push({ kind: 'end', text: '', loc: { file: '<kernel>', line, column: text.length - begin + 1 } });
  return tokens;
};
