/**
 * Visits every place of a file that names another module: `import`, `export … from`, `import()` and `import('…')` types alike,
 * since a type ties two files as tightly as a value.
 *
 * @param {(source: import('estree').Literal, specifier: string) => void} check
 * @returns {import('eslint').Rule.RuleListener}
 */
export const specifiers = (check) => {
  /** @param {{ source?: import('estree').Node | null }} node */
  const visit = ({ source }) => {
    if (source?.type === 'Literal' && typeof source.value === 'string') check(source, source.value);
  };
  return /** @type {import('eslint').Rule.RuleListener} */ ({
    ImportDeclaration: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
    ImportExpression: visit,
    TSImportType: visit,
  });
};
