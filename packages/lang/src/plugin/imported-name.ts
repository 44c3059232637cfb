import type { AnyNode, Program } from 'acorn';
import type { Parsed } from '../source/parse.js';

/**
 * What a name of a module, or a member of a namespace, is called where it is imported from, if that is one of these modules.
 * Files of the user's own may hand on what they import, under the same names; so they count as such modules, unless `handedOn` is false.
 */
export const importedName = (
  { program, scopes }: Parsed,
  callee: AnyNode,
  modules: RegExp,
  handedOn = true,
): string | undefined => {
  const [id, member] = callee.type === 'MemberExpression' ? [callee.object, memberName(callee)] : [callee, undefined];
  const specifier = scopes.bindingOf(id)?.node;
  if (!specifier || !isFrom(program, specifier, modules, handedOn)) return undefined;
  if (member === undefined) return specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : undefined;
  return specifier.type === 'ImportNamespaceSpecifier' ? member : undefined;
};

const memberName = ({ property, computed }: Extract<AnyNode, { type: 'MemberExpression' }>): string =>
  computed ? '' : nameOf(property);

const isFrom = (program: Program, specifier: AnyNode, modules: RegExp, handedOn: boolean): boolean =>
  program.body.some(
    (s) =>
      s.type === 'ImportDeclaration' &&
      s.specifiers.some((i) => i === specifier) &&
      ((handedOn && isOwnFile(String(s.source.value))) || String(s.source.value).search(modules) >= 0),
  );

/** Paths, and what stands for them by custom: `./words.js`, `/src/words.js`, `#words`, `@/words`, `~/words`. */
const isOwnFile = (source: string): boolean => /^(\.{0,2}\/|#|@\/|~)/.test(source);

const nameOf = (node: AnyNode): string =>
  node.type === 'Identifier' ? node.name : String((node as { value?: unknown }).value);
