import type { AnyNode } from 'acorn';
import { failAt } from '../source/place.js';
import { children, isFunction, type FunctionNode } from '../source/ast.js';
import type { Parsed } from '../source/parse.js';

/** Functions that are to be remembered as rewritten, by how they come to be: each is in a way of its own. */
export interface Standing {
  /** Arrows and function expressions that are values: `{ run: (x) => … }`, `return function (x) { … }`. */
  readonly values: readonly FunctionNode[];
  readonly methods: readonly Methods[];
  /** Declarations within functions: where that can be remembered, and their names. */
  readonly inner: readonly { readonly at: number; readonly name: string }[];
}

/** Methods of an object literal, or of a class: those that it has itself (`static`), and those of its instances. */
export interface Methods {
  readonly holder: Extract<AnyNode, { type: 'ObjectExpression' | 'ClassBody' }>;
  readonly own: readonly string[];
  readonly ofInstances: readonly string[];
}

/**
 * The functions of a module that are to be remembered other than those that its top level declares, which have names there. Callbacks within
 * a tagged function are none of them unless they are tagged themselves.
 */
export const functionsThatStand = (parsed: Parsed, isRemembered: (node: AnyNode) => boolean): Standing => {
  const values: FunctionNode[] = [];
  const methods = new Map<AnyNode, { holder: Methods['holder']; own: string[]; ofInstances: string[] }>();
  const inner: { at: number; name: string }[] = [];

  const note = (f: FunctionNode, around: readonly AnyNode[]): void => {
    const [parent, holder] = [around.at(-1), around.at(-2)];
    if (
      parent?.type === 'MethodDefinition' ||
      (parent?.type === 'Property' && (parent.method || parent.kind !== 'init'))
    )
      return noteMethod(parent, holder as Methods['holder']);
    if (f.type === 'FunctionDeclaration' && (f.id || parent?.type !== 'ExportDefaultDeclaration'))
      return noteDeclaration(f, around);
    if (parent?.type === 'VariableDeclarator' && noteConstant(parent, around.slice(0, -1))) return;
    if (parent?.type === 'CallExpression' && parent.callee !== f && !tagged(f)) return;
    values.push(f);
  };
  const noteMethod = (
    method: Extract<AnyNode, { type: 'MethodDefinition' | 'Property' }>,
    holder: Methods['holder'],
  ): void => {
    if (method.kind === 'get' || method.kind === 'set' || method.kind === 'constructor') return;
    const { key } = method;
    if (method.computed || (key.type !== 'Identifier' && key.type !== 'Literal')) return computedName(method);
    const name = key.type === 'Identifier' ? key.name : String(key.value);
    const found = methods.get(holder) ?? { holder, own: [], ofInstances: [] };
    methods.set(holder, found);
    (method.type === 'Property' || method.static ? found.own : found.ofInstances).push(name);
  };
  const computedName = (method: AnyNode): void => {
    failAt(
      parsed.source,
      parsed.site(method.start),
      'lang/unsupported-syntax',
      'a method without a plain name cannot be remembered as rewritten',
      "give the method a name, or write it as a property: [key]: (x) => { 'use symbolic'; … }",
    );
  };
  const noteDeclaration = (f: FunctionNode, around: readonly AnyNode[]): void => {
    const block = around.findLast((n) => n.type === 'BlockStatement');
    const name = f.id?.name;
    if (block?.type !== 'BlockStatement' || name === undefined) return;
    const first = block.body.find((s) => !(s.type === 'ExpressionStatement' && s.directive));
    inner.push({ at: first?.start ?? block.end - 1, name });
  };
  /* A function keeps the name that it gets from a constant where no call is written around it. */
  const noteConstant = (d: Extract<AnyNode, { type: 'VariableDeclarator' }>, around: readonly AnyNode[]): boolean => {
    const [statement, block] = [around.at(-1), around.at(-2)];
    if (d.id.type !== 'Identifier' || statement?.type !== 'VariableDeclaration') return false;
    if (block?.type === 'BlockStatement') inner.push({ at: statement.end, name: d.id.name });
    return block?.type === 'BlockStatement' || block?.type === 'Program' || block?.type === 'ExportNamedDeclaration';
  };
  const tagged = (f: FunctionNode): boolean =>
    f.body.type === 'BlockStatement' &&
    f.body.body.some((s) => s.type === 'ExpressionStatement' && s.directive === 'use symbolic');
  const visit = (node: AnyNode, around: readonly AnyNode[]): void => {
    if (isFunction(node) && isRemembered(node)) note(node, around);
    const inside = [...around, node];
    for (const child of children(node)) visit(child, inside);
  };
  visit(parsed.program, []);
  return { values, methods: [...methods.values()], inner };
};
