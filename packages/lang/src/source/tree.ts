import type { AnyNode, Program } from 'acorn';

/**
 * A parsed text as a list of numbers, names and truth values, which a build writes beside the text, so that a page need not parse it: each node is its
 * type, how far it begins behind the node before, its length, and its members. Names and numerals stand in the text.
 */
export type Tree = readonly (number | string | boolean | null)[];

/** The members of each type of node: other nodes, lists of nodes (`*`), values (`=`). */
const MEMBERS: Readonly<Record<string, string>> = {
  Program: 'body* sourceType=',
  ExpressionStatement: 'expression',
  ParenthesizedExpression: 'expression',
  ArrowFunctionExpression: 'id expression= generator= async= params* body',
  FunctionExpression: 'id expression= generator= async= params* body',
  FunctionDeclaration: 'id expression= generator= async= params* body',
  BlockStatement: 'body*',
  VariableDeclaration: 'declarations* kind=',
  VariableDeclarator: 'id init',
  Identifier: 'name=',
  Literal: 'value= raw=',
  MemberExpression: 'object property computed= optional=',
  CallExpression: 'callee arguments* optional=',
  BinaryExpression: 'left operator= right',
  LogicalExpression: 'left operator= right',
  AssignmentExpression: 'operator= left right',
  UpdateExpression: 'operator= prefix= argument',
  UnaryExpression: 'operator= prefix= argument',
  ConditionalExpression: 'test consequent alternate',
  ForOfStatement: 'await= left right body',
  ForStatement: 'init test update body',
  WhileStatement: 'test body',
  DoWhileStatement: 'body test',
  IfStatement: 'test consequent alternate',
  ReturnStatement: 'argument',
  BreakStatement: 'label',
  ContinueStatement: 'label',
  LabeledStatement: 'label body',
  EmptyStatement: '',
  ArrayExpression: 'elements*',
  ArrayPattern: 'elements*',
  ObjectExpression: 'properties*',
  ObjectPattern: 'properties*',
  Property: 'method= shorthand= computed= key value kind=',
  SpreadElement: 'argument',
  RestElement: 'argument',
  AssignmentPattern: 'left right',
  SwitchStatement: 'discriminant cases*',
  SwitchCase: 'test consequent*',
  ThrowStatement: 'argument',
  SequenceExpression: 'expressions*',
  NewExpression: 'callee arguments*',
};

const TYPES = Object.keys(MEMBERS);

type Members = Record<string, unknown>;

/** The tree of a text; nothing where it says what trees have no room for, so that it is to be parsed. */
export const treeOf = (text: string, program: Program): Tree | undefined => {
  const tree: Tree[number][] = [];
  let before = 0;
  const add = (node: AnyNode | null): boolean => {
    if (node === null) return tree.push(0) > 0;
    const { type, start, end, ...members } = node as AnyNode & Members;
    const listed = membersOf(type);
    if (!listed || Object.keys(members).length !== listed.length) return false;
    if (start < before) return false;
    tree.push(TYPES.indexOf(type) + 1, start - before, end - start);
    before = start;
    return listed.every(([name, kind]) => {
      const value = members[name];
      if (kind === '=') {
        const written = text.slice(start, end);
        if (value === toldBy(type, name, written)) return tree.push(null) > 0;
        return isPlain(value) && tree.push(value) > 0;
      }
      if (kind === '') return (value === null || typeof value === 'object') && add(value as AnyNode | null);
      return Array.isArray(value) && tree.push(value.length) > 0 && (value as AnyNode[]).every(add);
    });
  };
  return add(program) ? tree : undefined;
};

/** The program that a tree of this text is of. */
export const programOf = (text: string, tree: Tree): Program => {
  let at = 0;
  let before = 0;
  const read = (): AnyNode | null => {
    const type = TYPES[(tree[at++] as number) - 1];
    if (type === undefined) return null;
    const start = (before += tree[at++] as number);
    const end = start + (tree[at++] as number);
    const node: Members = { type, start, end };
    for (const [name, kind] of membersOf(type)!)
      if (kind === '=') node[name] = tree[at++] ?? toldBy(type, name, text.slice(start, end));
      else node[name] = kind === '' ? read() : Array.from({ length: tree[at++] as number }, read);
    return node as unknown as AnyNode;
  };
  return read() as Program;
};

/** Each member with its kind. */
const membersOf = (type: string): readonly (readonly [name: string, kind: string])[] | undefined => {
  const all = MEMBERS[type];
  if (all === undefined) return undefined;
  return all === '' ? [] : all.split(' ').map((member) => [member.replace(/[*=]$/, ''), /[*=]?$/.exec(member)![0]]);
};

/** What a member is where the tree says nothing of it: what the text says, and what it mostly is. */
const toldBy = (type: string, name: string, text: string): unknown => {
  if (name === 'name' || name === 'raw') return text;
  if (name === 'value') return KEYWORDS.has(text) ? KEYWORDS.get(text) : Number(text.replaceAll('_', ''));
  if (name === 'kind') return type === 'Property' ? 'init' : 'const';
  return name === 'operator' ? undefined : name === 'sourceType' ? 'module' : false;
};

const KEYWORDS: ReadonlyMap<string, unknown> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);

const isPlain = (value: unknown): value is Tree[number] => typeof value === 'string' || typeof value === 'boolean';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Digits that are a number alone; of others, each begins one of two digits. */
const ALONE = 48;

/** A tree as a short text: a number in one digit or two, mostly. */
export const textOfTree = (tree: Tree): string =>
  tree
    .map((x) => {
      if (typeof x === 'string') return JSON.stringify(x);
      if (typeof x !== 'number') return x === null ? '.' : x ? '!' : '?';
      if (x < ALONE) return DIGITS[x];
      const more = x - ALONE;
      return more < (63 - ALONE) * 64 ? `${DIGITS[ALONE + (more >> 6)]}${DIGITS[more & 63]}` : `_${x}.`;
    })
    .join('');

/** The tree that such a text is of. */
export const treeOfText = (text: string): Tree =>
  Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"|_\d+\.|[.!?A-Za-v]|../g), ([part]): Tree[number] => {
    const [first] = part;
    if (first === '"') return JSON.parse(part) as string;
    if (first === '_') return Number(part.slice(1, -1));
    if (first === '.') return null;
    if (first === '!' || first === '?') return first === '!';
    const [high, low] = [...part].map((digit) => DIGITS.indexOf(digit));
    return low === undefined ? high! : ALONE + (high! - ALONE) * 64 + low;
  });
