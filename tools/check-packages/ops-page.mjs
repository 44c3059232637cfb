/**
 * `docs/ops.md`: every operation of kernel IR, from what its definition says of it. `npm run readme` writes it.
 */
import { gpuDialect } from '@filigree/backend/gpu';
import { coreDialects } from '@filigree/ir';
import { derivatives } from '@filigree/autodiff';
import { dense, field, fieldDialects, i, layout } from '@filigree/sparse/fields';
import { linalg } from '@filigree/tensor/linalg';
import { format } from 'oxfmt';

/* Dialects of fields belong to a layout; what their ops are does not depend on it. */
const fieldsAlone = fieldDialects(layout(dense(i, 1).place(field('u', 'f32')))).filter(
  (d) => !coreDialects.includes(d),
);

/** What each dialect is about. @type {Readonly<Record<string, string>>} */
const ABOUT = {
  arith: 'Numbers: constants, sums and products, comparisons, casts, lanes of vectors.',
  math: 'Functions of numbers.',
  scf: 'Control flow: loops and branches carry values through the parameters of their regions.',
  mem: 'Buffers: loads and stores, atomic updates, fences.',
  field: 'Fields, by their names and coordinates; nothing is known of memory yet.',
  snode: 'The steps of an access to a sparse structure, between fields and memory.',
  linalg: 'Products of small matrices.',
  gpu: 'What threads that go in step tell each other; on other processors each is alone.',
};

/** The page as text. @returns {Promise<string>} */
export const opsPage = async () => {
  const parts = [...coreDialects, ...fieldsAlone, linalg, gpuDialect].map(
    ({ name, ops }) =>
      `## \`${name}\`\n\n${ABOUT[name] ?? ''}\n\n| op | is | derivative |\n| --- | --- | --- |\n${Object.values(ops)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((op) => `| \`${op.name}\` | ${cell(op.summary)} | ${cell(derivativeText(op.name))} |`)
        .join('\n')}\n`,
  );
  const text = `# Operations of kernel IR

What programs become, whatever they were written in. An operation is one entry in the table of its dialect; this page is made of these tables
(\`npm run readme\`). Dialects of one's own are [extensions](outside.md).

${parts.join('\n')}`;
  return (await format('ops.md', text)).code;
};

/** @type {(text: string) => string} */
const cell = (text) => text.replaceAll('|', '\\|');

/** @type {(name: string) => string} */
const derivativeText = (name) => {
  const row = derivatives[name];
  if (row === undefined) return '';
  if (row.is === 'rule') return 'a rule';
  if (row.is === 'zero') return `zero: ${row.why}`;
  return row.is === 'structure' ? row.how : `refused: ${row.why}`;
};
