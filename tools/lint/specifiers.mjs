/**
 * What these rules use of the linter's plugins, which are those of ESLint.
 *
 * @typedef {{ readonly type: string, readonly value?: unknown }} Node
 * @typedef {{ readonly filename: string, readonly report: (found: { readonly node: Node, readonly message: string }) => void }} Context
 * @typedef {Record<string, (node: { readonly source?: Node | null }) => void>} Visitor by type of node
 * @typedef {{ readonly create: (context: Context) => Visitor }} Rule
 */

/**
 * Visits every place of a file that names another module: `import`, `export … from`, `import()` and `import('…')` types alike,
 * since a type ties two files as tightly as a value.
 *
 * @type {(check: (source: Node, specifier: string) => void) => Visitor}
 */
export const specifiers = (check) => {
  /** @type {Visitor[string]} */
  const visit = ({ source }) => {
    if (source?.type === 'Literal' && typeof source.value === 'string') check(source, source.value);
  };
  return {
    ImportDeclaration: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
    ImportExpression: visit,
    TSImportType: visit,
  };
};
