import { nameOf } from '../backends.js';
import type { TraceCode } from './code.js';
import { evaluateTrace } from './evaluate.js';
import { printTrace } from './print.js';
import type { TraceFault } from './run.js';

/** A program that shows a fault, complete: what it prints, and what it should print. */
export const scriptOfTrace = ({ trace: t, target, what }: TraceFault): string => {
  const { level, dtype, backend, threads } = target;
  const inputs = [
    ...t.inputs.map((x) => `${x.name}: ${x.values.length}`),
    ...t.matrices.map((m) => `${m.name}: csrFromTriplets(${m.side}, ${m.side}, ${rows(t, m.name)})`),
  ];
  return [
    `// ${what}`,
    `import { compile${t.matrices.length > 0 ? ', csrFromTriplets' : ''} } from 'filigree';`,
    ...t.tables.map((x) => `const ${x.name} = [${x.at.join(', ')}];`),
    `const program = await compile(`,
    `  { inputs: { ${inputs.join(', ')} }, run: ${printTrace(t)} },`,
    `  { scope: { ${t.tables.map((x) => x.name).join(', ')} }, arithmetic: '${level}', dtype: '${dtype}', backend: '${nameOf(backend)}', threads: ${threads} },`,
    `);`,
    ...[...t.inputs, ...t.matrices].map((x) => `program.set('${x.name}', [${x.values.map(text).join(', ')}]);`),
    `program.run();`,
    ...t.outputs.map((name) => `console.log('${name}', ...program.outputs.${name});`),
    ...[...evaluateTrace(t, dtype === 'f32' ? Math.fround : (x) => x)].map(
      ([name, all]) => `// expected: ${name} ${all.map((k) => text(k.value)).join(' ')}`,
    ),
  ].join('\n');
};

const rows = (t: TraceCode, name: string): string => {
  const { side, places } = t.matrices.find((m) => m.name === name)!;
  return `[${places.map((p) => Math.floor(p / side)).join(', ')}], [${places.map((p) => p % side).join(', ')}]`;
};

const text = (x: number): string => (Object.is(x, -0) ? '-0' : String(x));
