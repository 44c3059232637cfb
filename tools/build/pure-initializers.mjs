import { parse } from 'acorn';
import MagicString from 'magic-string';

/**
 * Says of what modules compute when they are loaded that it may be left out where nobody uses it: `const x = f()` becomes
 * `const x = /* @__PURE__ *\/ (() => f())()`. Bundlers cannot know that a call has no effects, and would keep tables, dialects and
 * passes, with all that they refer to, in the bundle of whoever imports one function. Here no initializer has effects
 * that matter to others; statements that are no declarations stay, but for those that fill the object of `export * as x`.
 *
 * @param {string} code of a module
 */
export const pureInitializers = (code) => {
  const text = new MagicString(code);
  const { body } = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  for (const { object, statement, members } of body.flatMap((node) => namespaces(node, body))) {
    const filled = `${code.slice(members.start, members.end)}`;
    text.overwrite(object.start, object.end, `/* @__PURE__ */ ((all) => (__export(all, ${filled}), all))({})`);
    text.remove(statement.start, statement.end);
  }
  for (const init of body.flatMap(initializers)) {
    if (!mayHaveEffects(init)) continue;
    const object = init.type === 'ObjectExpression';
    text.appendLeft(init.start, `/* @__PURE__ */ (() => ${object ? '(' : ''}`);
    text.appendRight(init.end, `${object ? ')' : ''})()`);
  }
  return text.toString();
};

/** @typedef {import('acorn').AnyNode} Node */

/**
 * Bundlers write a namespace as `var x = {}; __export(x, { a: () => a });`, which keeps all of it.
 *
 * @type {(statement: Node, body: readonly Node[]) => readonly { object: Node, statement: Node, members: Node }[]}
 */
const namespaces = (statement, body) => {
  const call = statement.type === 'ExpressionStatement' ? statement.expression : undefined;
  if (call?.type !== 'CallExpression' || call.callee.type !== 'Identifier' || call.callee.name !== '__export')
    return [];
  const [name, members] = call.arguments;
  if (name?.type !== 'Identifier' || members?.type !== 'ObjectExpression') return [];
  const object = body
    .flatMap((s) => (s.type === 'VariableDeclaration' ? s.declarations : []))
    .find((d) => d.id.type === 'Identifier' && d.id.name === name.name)?.init;
  return object ? [{ object, statement, members }] : [];
};

/** What the constants of a module are set to. @type {(statement: Node) => readonly Node[]} */
const initializers = (statement) => {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type !== 'VariableDeclaration') return [];
  return declaration.declarations.flatMap(({ init }) => (init ? [init] : []));
};

/** Whether a bundler would have to keep an expression; never true of one that waits. @param {Node} root */
const mayHaveEffects = (root) => {
  let found = false;
  let waits = false;
  /** @param {unknown} value */
  const visit = (value) => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value) && !/Function/.test(value.type)) {
      found ||= KEPT.has(value.type);
      waits ||= value.type === 'AwaitExpression';
      Object.values(value).forEach(visit);
    }
  };
  visit(root);
  return found && !waits;
};

/* Of sums and the like bundlers cannot tell what their operands do when they become numbers; one is enough to keep a module. */
const KEPT = new Set([
  'BinaryExpression',
  'CallExpression',
  'MemberExpression',
  'NewExpression',
  'SpreadElement',
  'TemplateLiteral',
]);

/** @param {unknown} value @returns {value is Node} */
const isNode = (value) => typeof value === 'object' && value !== null && 'type' in value;
