import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));

/**
 * The public functions that take options, as `package.name`: those that a package exports and whose source has a parameter
 * of a type called `…Options`, or of a type that is written out as an object. So a new one is found without being told.
 */
export const functionsWithOptions = (
  name: string,
  exported: Readonly<Record<string, unknown>>,
): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const path of filesIn(join(PACKAGES, name, 'src'))) {
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    const look = (f: string, parameters: readonly ts.ParameterDeclaration[]): void => {
      if (typeof exported[f] === 'function' && parameters.some((p) => takesOptions(p.type?.getText(file) ?? '')))
        found.add(`${name}.${f}`);
    };
    for (const s of file.statements) {
      if (ts.isFunctionDeclaration(s) && s.name) look(s.name.text, [...s.parameters]);
      if (ts.isVariableStatement(s))
        for (const d of s.declarationList.declarations)
          for (let f = d.initializer; f && ts.isArrowFunction(f); f = ts.isArrowFunction(f.body) ? f.body : undefined)
            look(d.name.getText(file), [...f.parameters]);
      if (ts.isClassDeclaration(s) && s.name)
        for (const m of s.members) if (ts.isConstructorDeclaration(m)) look(s.name.text, [...m.parameters]);
    }
  }
  return found;
};

const takesOptions = (type: string): boolean => /Options\b|\wFacts\b|Choices\b|^\{ readonly \w+\?:/.test(type);

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((entry) => {
    const path = join(folder, entry);
    return statSync(path).isDirectory() ? filesIn(path) : path.endsWith('.ts') ? [path] : [];
  });
