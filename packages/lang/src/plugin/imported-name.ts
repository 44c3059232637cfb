import type { AnyNode, Program } from 'acorn';
import type { Parsed } from '../rewrite/parse.js';

/** What a name of a module is called where it is imported from, if that is one of these modules. */
export const importedName = ({ program, scopes }: Parsed, id: AnyNode, modules: RegExp): string | undefined => {
  const specifier = scopes.bindingOf(id)?.node;
  return specifier?.type === 'ImportSpecifier' && isFrom(program, specifier, modules)
    ? nameOf(specifier.imported)
    : undefined;
};

const isFrom = (program: Program, specifier: AnyNode, modules: RegExp): boolean =>
  program.body.some(
    (s) =>
      s.type === 'ImportDeclaration' &&
      s.specifiers.some((i) => i === specifier) &&
      modules.test(String(s.source.value)),
  );

const nameOf = (node: AnyNode): string =>
  node.type === 'Identifier' ? node.name : String((node as { value?: unknown }).value);
