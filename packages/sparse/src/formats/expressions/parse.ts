import { fail, pass, type Diagnostics, type Loc } from '@filigree/ir';
import type * as E from 'fp-ts/lib/Either.js';
import type { Expr, ExprTree } from './tree.js';

/**
 * Parses the sparse algebra language: names, numbers, `+ - *`, transpose `'`, power `^k`, unary minus, parentheses.
 * Precedence is MATLAB's: `'` and `^` bind tightest, from left to right, then the unary signs, then `*`, then `+ -`;
 * all binary operators group to the left, so that `A*B*C` is `(A*B)*C`, `-A^2` is `-(A^2)` and `A^2'` is `(A^2)'`.
 * Code: `expr/parse`, with line and column. Time is linear and nesting of any depth is taken.
 */
export const parseExpr = (source: string): E.Either<Diagnostics, ExprTree> => pass('parseExpr', parse).run(source);

interface Token {
  readonly kind: 'name' | 'number' | 'symbol' | 'end';
  readonly text: string;
  readonly loc: Loc;
}

/** An operator or an open parenthesis that waits for its right side. */
interface Waiting {
  readonly op: 'add' | 'sub' | 'mul' | 'pow' | 'neg' | 'plus' | '(';
  readonly loc: Loc;
}

const BINARY: Readonly<Record<string, 'add' | 'sub' | 'mul' | 'pow'>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '^': 'pow',
};
const STRENGTH: Readonly<Record<Waiting['op'], number>> = { '(': 0, add: 1, sub: 1, mul: 2, neg: 3, plus: 3, pow: 4 };

/** Operator precedence with two explicit stacks. */
const parse = (source: string): ExprTree => {
  const operands: Expr[] = [];
  const waiting: Waiting[] = [];
  const applyFrom = (strength: number): void => {
    while (waiting.length > 0 && STRENGTH[waiting.at(-1)!.op] >= strength) apply(operands, waiting.pop()!);
  };
  let operandNext = true;
  for (const token of tokensOf(source)) {
    const { kind, text, loc } = token;
    if (operandNext) {
      if (kind === 'name') operands.push({ kind, name: text, loc });
      else if (kind === 'number') operands.push({ kind, value: Number(text), loc });
      else if (text === '(') waiting.push({ op: '(', loc });
      else if (text === '-') waiting.push({ op: 'neg', loc });
      else if (text === '+') waiting.push({ op: 'plus', loc });
      else refuseMissing(token, waiting.at(-1));
      operandNext = kind === 'symbol';
    } else if (text === "'") {
      applyFrom(STRENGTH.pow);
      operands.push({ kind: 'transpose', arg: operands.pop()!, loc });
    } else if (kind === 'symbol' && Object.hasOwn(BINARY, text)) {
      const op = BINARY[text];
      applyFrom(STRENGTH[op]);
      waiting.push({ op, loc });
      operandNext = true;
    } else if (text === ')') {
      applyFrom(STRENGTH.add);
      if (waiting.pop() === undefined)
        refuse(loc, "')' closes nothing", "remove it, or add the '(' that it belongs to");
    } else if (kind === 'end') {
      applyFrom(STRENGTH.add);
      const open = waiting.pop();
      if (open) refuse(open.loc, "'(' is never closed", "add the missing ')'");
    } else {
      refuse(loc, `an operator is missing before '${text}'`, "write products with '*', as in 2*A or A*B");
    }
  }
  return { source, root: operands[0] };
};

const apply = (operands: Expr[], { op, loc }: Waiting): void => {
  if (op === '(' || op === 'plus') return;
  const right = operands.pop()!;
  if (op === 'neg') operands.push({ kind: op, arg: right, loc });
  else operands.push({ kind: op, left: operands.pop()!, right, loc });
};

const refuseMissing = (token: Token, before: Waiting | undefined): never => {
  const found = token.kind === 'end' ? 'the expression ends' : `'${token.text}' stands`;
  return refuse(
    token.loc,
    `${found} where a matrix name, a number or '(' should stand`,
    before?.op === '('
      ? "put an expression between '(' and ')'"
      : "give every operator its operands, as in L*M*L'+K; a transpose follows its matrix",
  );
};

const refuse = (loc: Loc, message: string, remedy: string): never => fail('expr/parse', message, { loc, remedy });

const tokensOf = (source: string): readonly Token[] => {
  const tokens: Token[] = [];
  const pattern = /([A-Za-z_][A-Za-z_0-9]*)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([-+*^'()])|(\n)|([ \t\r]+)|(.)/suy;
  let line = 1;
  let lineBegin = 0;
  for (let m = pattern.exec(source); m !== null; m = pattern.exec(source)) {
    const loc: Loc = { file: '<expression>', line, column: m.index - lineBegin + 1 };
    if (m[1] !== undefined) tokens.push({ kind: 'name', text: m[1], loc });
    else if (m[2] !== undefined) {
      if (!Number.isFinite(Number(m[2]))) refuse(loc, `${m[2]} is beyond the largest double`, 'write a smaller number');
      tokens.push({ kind: 'number', text: m[2], loc });
    } else if (m[3] !== undefined) tokens.push({ kind: 'symbol', text: m[3], loc });
    else if (m[4] !== undefined) {
      line++;
      lineBegin = m.index + 1;
    } else if (m[6] !== undefined) {
      const quote = '’‘´`ᵀ'.includes(m[6]) ? "transpose is the plain apostrophe '" : undefined;
      const slash = m[6] === '/' ? 'multiply by the reciprocal number instead' : undefined;
      refuse(loc, `'${m[6]}' is not part of the language`, quote ?? slash ?? "use names, numbers, + - * ' ^ and ( )");
    }
  }
  tokens.push({ kind: 'end', text: '', loc: { file: '<expression>', line, column: source.length - lineBegin + 1 } });
  return tokens;
};
