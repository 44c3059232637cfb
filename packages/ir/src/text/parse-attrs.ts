import type { Attr, Attrs } from '../kernel/op.js';
import { type ScalarType, type Type, isScalarType } from '../kernel/type.js';
import { type Lexer, type Token, describe } from './lexer.js';

/** Whether attributes begin here: a brace before a name, where a region would have an op or parameters. `others` are words that begin something else. */
export const atAttrs = (lexer: Lexer, others: ReadonlySet<string> = new Set()): boolean => {
  if (!lexer.at('{')) return false;
  const { kind, text } = lexer.peekNext();
  return kind === 'string' || (kind === 'word' && !text.includes('.') && !others.has(text));
};

/** `{name = value, …}`. */
export const parseAttrs = (lexer: Lexer): Attrs => {
  const attrs: Record<string, Attr> = {};
  lexer.expect('{');
  if (lexer.accept('}')) return attrs;
  do {
    const token = lexer.peek();
    if (token.kind !== 'word' && token.kind !== 'string')
      lexer.fail('parse/syntax', `expected an attribute's name, found ${describe(token)}`, {
        remedy: 'write attributes as {name = value}',
      });
    lexer.next();
    defineAttr(lexer, attrs, token, () => {
      lexer.expect('=', 'write attributes as {name = value}, and ops with their dialect, as in arith.add');
      return parseAttr(lexer);
    });
  } while (lexer.accept(','));
  lexer.expect('}', `separate attributes by ',' and close them with '}'`);
  return attrs;
};

/** Adds the attribute that a token names, once. */
export const defineAttr = (lexer: Lexer, attrs: Record<string, Attr>, token: Token, value: () => Attr): void => {
  if (Object.hasOwn(attrs, token.text))
    lexer.fail('parse/duplicate-attribute', `attribute '${token.text}' stands twice`, { token, remedy: 'drop one' });
  /* A plain assignment would set the prototype for the name `__proto__`. */
  Object.defineProperty(attrs, token.text, { value: value(), enumerable: true, writable: true, configurable: true });
};

/** A number, a word, a string, a buffer or a list of such. */
export const parseAttr = (lexer: Lexer, depth = 0): Attr => {
  const token = lexer.next();
  if (token.kind === 'number') return numberOf(token.text);
  if (token.kind === 'string') return token.text;
  if (token.kind === 'symbol') return `@${token.text}`;
  if (token.kind === 'word') return wordOf(token.text);
  if (token.kind !== 'punctuation' || token.text !== '[')
    return lexer.fail('parse/syntax', `expected an attribute's value, found ${describe(token)}`, {
      token,
      remedy: 'write a number, a word, a "string", a @buffer or a [list]',
    });
  if (depth > 100)
    return lexer.fail('parse/depth', 'attributes nest too deep', { token, remedy: 'nest at most 100 lists' });
  const items: Attr[] = [];
  if (lexer.accept(']')) return items;
  do items.push(parseAttr(lexer, depth + 1));
  while (lexer.accept(','));
  lexer.expect(']');
  return items;
};

/** `f64`, `vec<4 x f64>`, or `!dialect.name<8, f64>`. */
export const parseType = (lexer: Lexer): Type => {
  if (lexer.accept('!')) return parseOwnType(lexer);
  if (!lexer.accept('vec')) return parseScalarType(lexer);
  lexer.expect('<');
  const token = lexer.expectKind('number', 'the number of lanes');
  const lanes = Number(token.text);
  if (!Number.isInteger(lanes) || lanes < 2)
    lexer.fail('parse/type', `a vector cannot have ${token.text} lanes`, {
      token,
      remedy: 'use two lanes or more, or a scalar',
    });
  lexer.expect('x');
  const of = parseScalarType(lexer);
  lexer.expect('>');
  return { lanes, of };
};

const parseOwnType = (lexer: Lexer): Type => {
  const { text: own } = lexer.expectKind('word', 'the name of a type of your own, as in !cx.complex');
  const args: (number | ScalarType)[] = [];
  if (!lexer.accept('<')) return { own, args };
  do args.push(lexer.peek().kind === 'number' ? numberOf(lexer.next().text) : parseScalarType(lexer));
  while (lexer.accept(','));
  lexer.expect('>');
  return { own, args };
};

export const parseScalarType = (lexer: Lexer): ScalarType => {
  const token = lexer.peek();
  if (token.kind !== 'word' || !isScalarType(token.text))
    return lexer.fail('parse/type', `there is no type ${describe(token)}`, {
      remedy: 'types are i1 i8 i16 i32 i64 u8 u16 u32 u64 f32 f64, vec<N x T>, and !dialect.name for one of your own',
    });
  lexer.next();
  return token.text;
};

export const numberOf = (text: string): number => (text === '-inf' ? -Infinity : Number(text));

const wordOf = (text: string): Attr =>
  text === 'true' ? true : text === 'false' ? false : text === 'nan' ? NaN : text === 'inf' ? Infinity : text;
