import type { KernelCode } from './code.js';
import { evaluate } from './evaluate.js';
import { printFunction, printNumber, printTable, printTree } from './print.js';
import type { Fault } from './run.js';

/** A program that shows a fault, complete: what it prints, and what it should print. */
export const scriptOf = ({ kernel: k, target, what }: Fault): string => {
  const fields = k.trees.flatMap((t) => t.fields);
  const words = ['program', 'kernel', 'layout', 'field', 'dense', 'hash', 'dynamic', 'i', 'j', 'ij', ...WORDS];
  const options = `{ scope: { ${k.tables.map((t) => t.name).join(', ')} } }`;
  const args = [...fields.map((f) => f.name), ...k.params.map((p) => `'${p.type}'`)];
  const launch = k.params.map((p) => printNumber(p.value, p.type.endsWith('64') && typeof p.value === 'bigint'));
  return [
    `// ${what}`,
    `import { ${words.join(', ')} } from 'filigree';`,
    ...fields.map((f) => `const ${f.name} = field('${f.name}', '${f.type}', { ambient: ${f.ambient} });`),
    ...k.tables.map((t) => `const ${t.name} = ${printTable(t)};`),
    `const ${k.name} = kernel([${args.join(', ')}], ${options}, ${printFunction(k)});`,
    `const sim = await program({`,
    `  layout: layout(${k.trees.map((t) => printTree(t)).join(', ')}),`,
    `  kernels: { ${k.name} }, threads: ${target.threads}, fastMath: ${target.fastMath}, ablate: ${JSON.stringify(target.ablate ?? [])},`,
    `  backend: '${typeof target.backend === 'string' && target.backend !== 'store' ? target.backend : 'wasm'}', // it fails on ${target.name}`,
    `});`,
    ...fields.flatMap((f) =>
      f.start.map(
        ([at, v]) =>
          `sim.fields.${f.name}.set([${at.join(', ')}], ${printNumber(v, f.type.endsWith('64') && typeof v === 'bigint')});`,
      ),
    ),
    `console.log(sim.run.${k.name}(${launch.join(', ')}));`,
    ...fields.map(
      (f) =>
        `console.log('${f.name}', [...sim.fields.${f.name}.entries()].map(([at, x]) => \`\${at}: \${x}\`).join('  '));`,
    ),
    ...expectation(k),
  ].join('\n');
};

const expectation = (k: KernelCode): readonly string[] => {
  const { fields, result } = evaluate(k);
  return [
    `// expected: ${result === undefined ? 'no result' : String(result)}`,
    ...[...fields].map(
      ([name, all]) =>
        `// ${name} ${all.flatMap((e) => (e.active ? [`${e.at}: ${printNumber(e.value)}`] : [])).join('  ')}`,
    ),
  ];
};

const WORDS = [
  ...['active', 'range', 'ndrange', 'serially', 'unrolled', 'clear', 'activate', 'deactivate', 'append', 'isActive'],
  ...['stored', 'bitStruct', 'bitArray', 'int', 'fixed', 'float'],
  ...['atomicAdd', 'atomicMin', 'atomicMax', 'atomicAnd', 'atomicOr', 'atomicXor', 'idiv', 'vec'],
  ...['i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'],
];
