import type { At, Real, Step, TraceCode } from './code.js';

/** The program as a function of its inputs and of the algebra of matrices. */
export const printTrace = (t: TraceCode): string =>
  [
    `({ ${[...t.inputs, ...t.matrices].map((x) => x.name).join(', ')} }, { sparse }) => {`,
    ...t.body.map((s) => printStep(s).replace(/^/gm, '  ')),
    `  return { ${t.outputs.join(', ')} };`,
    '}',
  ].join('\n');

const printStep = (s: Step): string => {
  const over = (n: number): string => `for (let i = 0; i < ${n}; i++)`;
  switch (s.do) {
    case 'let':
      return `const ${s.name} = ${printReal(s.value)};`;
    case 'map':
      return `const ${s.name} = [];\n${over(s.length)} ${s.name}[i] = ${printReal(s.value)};`;
    case 'fold': {
      const step =
        s.op === 'min' || s.op === 'max'
          ? `${s.name} = Math.${s.op}(${s.name}, ${printReal(s.value)})`
          : `${s.name} ${s.op}= ${printReal(s.value)}`;
      return `let ${s.name} = ${printReal(s.start)};\n${over(s.length)} ${step};`;
    }
    case 'scatter':
      return [
        `const ${s.name} = new Array(${s.length}).fill(0);`,
        `${over(s.times)} {`,
        `  const w = ${printReal(s.value)};`,
        `  ${s.name}[${s.to[0]}[i]] += w;`,
        `  ${s.name}[${s.to[1]}[i]] -= w;`,
        `}`,
      ].join('\n');
    case 'repeat':
      return `let ${s.name} = ${printReal(s.start)};\n${over(s.times)} ${s.name} = ${printReal(s.value)};`;
    case 'scan': {
      const before = `${s.name}[i - 1]`;
      const joined =
        s.op === 'max' ? `Math.max(${before}, ${printReal(s.value)})` : `${before} + ${printReal(s.value)}`;
      return `const ${s.name} = [];\n${over(s.length)} ${s.name}[i] = i === 0 ? ${printReal(s.value)} : ${joined};`;
    }
    case 'matrix':
      return `const ${s.name} = Array.from(sparse.${s.op}(${s.a}, ${s.turned ? `sparse.transpose(${s.b})` : s.b}).values);`;
  }
};

export const printReal = (e: Real): string => {
  switch (e.is) {
    case 'constant':
      return e.value < 0 || Object.is(e.value, -0) ? `(${Object.is(e.value, -0) ? '-0' : e.value})` : String(e.value);
    case 'local':
      return e.name;
    case 'element':
      return `${e.of}[${printAt(e.at)}]`;
    case 'binary':
      return e.op === 'min' || e.op === 'max'
        ? `Math.${e.op}(${printReal(e.a)}, ${printReal(e.b)})`
        : `(${printReal(e.a)} ${e.op} ${printReal(e.b)})`;
    case 'math':
      return e.name === 'neg' ? `(-${printReal(e.a)})` : `Math.${e.name}(${printReal(e.a)})`;
    case 'choose':
      return `(${printReal(e.c.x)} ${e.c.op} ${printReal(e.c.y)} ? ${printReal(e.a)} : ${printReal(e.b)})`;
  }
};

const printAt = (at: At): string => {
  switch (at.by) {
    case 'own':
      return 'i';
    case 'ring':
      return `(i + ${at.shift}) % ${at.length}`;
    case 'table':
      return `${at.table}[i]`;
    case 'number':
      return String(at.value);
  }
};
