import { integerRange } from '../dialects/integer.js';
import type { Buffer, TypedArray } from '../kernel/op.js';
import { type ScalarType, isFloat, isWide } from '../kernel/type.js';
import { allocateArray } from '../kernel/typed-array.js';
import { decodeBase64 } from './base64.js';
import { type Lexer, type Token, describe } from './lexer.js';
import { numberOf, parseScalarType } from './parse-attrs.js';

/** `buffer @name : type[length] role`, then `in @memory` where it shares one, and `= data` for a const one. */
export const parseBuffer = (lexer: Lexer): Buffer => {
  const name = lexer.expectKind('symbol', `the buffer's name, as in @x`).text;
  lexer.expect(':');
  const type = parseScalarType(lexer);
  lexer.expect('[');
  const size = lexer.expectKind('number', 'the length');
  const length = Number(size.text);
  if (!Number.isSafeInteger(length) || length < 0)
    lexer.fail('parse/length', `${size.text} is no length`, { token: size, remedy: 'write a non-negative integer' });
  lexer.expect(']');
  const role = lexer.next();
  if (role.kind !== 'word' || !isRole(role.text))
    return lexer.fail('parse/role', `expected the buffer's role, found ${describe(role)}`, {
      token: role,
      remedy: `write ${roles.join(', ')}`,
    });
  const memory = lexer.accept('in') ? lexer.expectKind('symbol', `the memory's name, as in @arena`).text : undefined;
  const head = { name, type, length, role: role.text, ...(memory === undefined ? {} : { memory }) };
  const equals = lexer.peek();
  if (!lexer.accept('=')) return head;
  const data = parseData(lexer, type);
  if (data.length !== length)
    lexer.fail('parse/length', `buffer @${name} has length ${length} and ${data.length} elements of data`, {
      token: equals,
      remedy: 'make them agree',
    });
  return { ...head, data };
};

const roles: readonly Buffer['role'][] = ['input', 'output', 'inout', 'temp', 'const', 'scratch'];

const isRole = (text: string): text is Buffer['role'] => (roles as readonly string[]).includes(text);

const parseData = (lexer: Lexer, type: ScalarType): TypedArray => {
  if (lexer.accept('base64')) {
    lexer.expect(':');
    const token = lexer.expectKind('string', 'base64 data in quotes');
    return (
      decodeBase64(token.text, type) ??
      lexer.fail('parse/data', `the data is not base64 of whole ${type} elements`, {
        token,
        remedy: 'write all bytes of the elements, little end first, or the elements as [1, 2, 3]',
      })
    );
  }
  lexer.expect('[', 'write data as [1, 2, 3] or base64:"…"');
  const items: (number | bigint)[] = [];
  if (!lexer.accept(']')) {
    do items.push(element(lexer, lexer.next(), type));
    while (lexer.accept(','));
    lexer.expect(']');
  }
  const data = allocateArray(type, items.length);
  items.forEach((x, i) => (data[i] = x));
  return data;
};

const element = (lexer: Lexer, token: Token, type: ScalarType): number | bigint => {
  const refuse = (): never =>
    lexer.fail('parse/data', `${describe(token)} is no ${type}`, { token, remedy: `write values of type ${type}` });
  if (isFloat(type)) {
    if (token.kind === 'number') return numberOf(token.text);
    return token.kind === 'word' && token.text === 'nan'
      ? NaN
      : token.kind === 'word' && token.text === 'inf'
        ? Infinity
        : refuse();
  }
  if (type === 'i1' && token.kind === 'word') return token.text === 'true' ? 1 : token.text === 'false' ? 0 : refuse();
  if (token.kind !== 'number' || !/^-?[0-9]+$/.test(token.text)) return refuse();
  const exact = BigInt(token.text);
  const [min, max] = type === 'i1' ? [0n, 1n] : integerRange(type);
  if (exact < min || exact > max) return refuse();
  return isWide(type) ? exact : Number(exact);
};
