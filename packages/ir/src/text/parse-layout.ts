import { AXIS_NAMES, type LayoutField, type LayoutFormat, type LayoutNode, type LayoutTree } from '../kernel/layout.js';
import type { Attr, Attrs } from '../kernel/op.js';
import type { Lexer } from './lexer.js';
import { atAttrs, defineAttr, numberOf, parseAttr, parseAttrs, parseScalarType } from './parse-attrs.js';

/** What follows the word `layout`: nodes, and within each its attributes, fields and further nodes. */
export const parseLayout = (lexer: Lexer): LayoutTree => {
  lexer.expect('{');
  const branches: LayoutNode[] = [];
  while (!lexer.accept('}')) branches.push(parseNode(lexer, 0));
  return { branches };
};

/** `dense (i: 16, j: 16) pointer cells = 100 { … }`. */
const parseNode = (lexer: Lexer, depth: number): LayoutNode => {
  const kind = lexer.expectKind('word', 'a node, as in dense (i: 16) { … }');
  if (depth > 100) lexer.fail('parse/depth', 'nodes nest too deep', { token: kind, remedy: 'nest at most 100 nodes' });
  const axes: number[] = [];
  const extents: number[] = [];
  lexer.expect('(');
  do {
    const axis = lexer.expectKind('word', 'an axis, as in i: 16');
    const number = axis.text.length === 1 ? AXIS_NAMES.indexOf(axis.text) : -1;
    if (number < 0)
      lexer.fail('parse/axis', `'${axis.text}' is no axis`, {
        token: axis,
        remedy: `axes are ${[...AXIS_NAMES].join(' ')}`,
      });
    lexer.expect(':');
    const extent = lexer.expectKind('number', 'the number of cells along the axis');
    axes.push(number);
    extents.push(numberOf(extent.text));
  } while (lexer.accept(','));
  lexer.expect(')');
  const attrs = parseWords(lexer);
  const fields: LayoutField[] = [];
  const children: LayoutNode[] = [];
  lexer.expect('{');
  while (!lexer.accept('}'))
    if (lexer.at('field') || lexer.at('word')) {
      if (children.length > 0)
        lexer.fail('parse/syntax', 'a field stands after a node', {
          remedy: 'write the fields of a cell before its nodes',
        });
      fields.push(...(lexer.at('word') ? parseWord(lexer) : [parseField(lexer)]));
    } else children.push(parseNode(lexer, depth + 1));
  return { kind: kind.text, axes, extents, attrs, fields, children, loc: lexer.loc(kind) };
};

/** Attributes before a brace: `name = value`, or a name alone for one that is true. */
const parseWords = (lexer: Lexer): Attrs => {
  const attrs: Record<string, Attr> = {};
  while (!lexer.at('{')) {
    const name = lexer.expectKind('word', 'an attribute such as pointer, or {');
    defineAttr(lexer, attrs, name, () => (lexer.accept('=') ? parseAttr(lexer) : true));
  }
  return attrs;
};

/** `word 32 { field … }`: fields that share a word. */
const parseWord = (lexer: Lexer): readonly LayoutField[] => {
  lexer.expect('word');
  const bits = numberOf(lexer.expectKind('number', 'the bits of the word').text);
  lexer.expect('{');
  const fields = [parseField(lexer)];
  while (!lexer.accept('}')) fields.push(parseField(lexer));
  const [{ name: first }] = fields;
  return fields.map((f) => ({ ...f, word: { first, bits } }));
};

/** `field @u : f32`, and the ambient value where it is not 0, and what it is stored as where that is something else. */
const parseField = (lexer: Lexer): LayoutField => {
  lexer.expect('field');
  const token = lexer.expectKind('symbol', "the field's name, as in @u");
  lexer.expect(':');
  const type = parseScalarType(lexer);
  const value = lexer.accept('=') ? lexer.peek() : undefined;
  const ambient = value ? parseAttr(lexer) : 0;
  if (typeof ambient !== 'number')
    return lexer.fail('parse/layout', `the ambient value of @${token.text} is no number`, {
      ...(value && { token: value }),
      remedy: 'write a number, or leave it out for 0',
    });
  const format = lexer.accept('as') ? parseFormat(lexer) : undefined;
  return { name: token.text, type, ambient, ...(format && { format }), loc: lexer.loc(token) };
};

const parseFormat = (lexer: Lexer): LayoutFormat => {
  const { text } = lexer.expectKind('word', 'what the field is stored as, as in fixed {bits = 10}');
  return { name: text, attrs: atAttrs(lexer) ? parseAttrs(lexer) : {} };
};
