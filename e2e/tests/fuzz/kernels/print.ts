import type { Expr, FieldCode, KernelCode, Outer, Statement, TableCode, TreeCode, Truth, Vector } from './code.js';
import { printFormat } from './formats.js';
import type { Scalar, ScalarType } from './scalars.js';

/** The function of a kernel as source text; its parameters are its fields, then its numbers. */
export const printFunction = (k: KernelCode): string =>
  [
    `(${parameters(k).join(', ')}) => {`,
    ...k.sums.map((s) => `  let ${s.name} = ${s.type}(0);`),
    ...k.body.map(printOuter),
    ...(k.result === undefined ? [] : [`  return f64(${k.result});`]),
    '}',
  ].join('\n');

const parameters = (k: KernelCode): readonly string[] => [
  ...k.trees.flatMap((t) => t.fields.map((f) => f.name)),
  ...k.params.map((p) => p.name),
];

/** A branch of a layout, as text. */
export const printTree = (tree: TreeCode, prefix = ''): string => {
  const levels = tree.levels.map(({ kind, axes, extents }, at) => {
    const named = axes.map((a) => 'ij'[a]).join('');
    const dot = at === 0 ? '' : '.';
    if (kind === 'hash') return `hash(${named}, 64)`;
    if (kind === 'dynamic') return `${dot}dynamic(${named}, ${extents[0]})`;
    return `${dot}dense(${named}, [${extents.join(', ')}])${kind === 'dense' ? '' : `.${kind}()`}`;
  });
  const inner = tree.levels.at(-1)!;
  if (inner.kind === 'bits') {
    const array = `bitArray(${inner.axes.map((a) => 'ij'[a]).join('')}, [${inner.extents.join(', ')}], ${inner.word})`;
    const arrays = tree.fields.map((f) => `${array}.place(${printPlace(f, prefix)})`);
    return `${levels.slice(0, -1).join('')}.fork(${arrays.join(', ')})`;
  }
  const places = wordsOf(tree.fields).map(([first, ...others]) => {
    const all = [first, ...others].map((f) => printPlace(f, prefix)).join(', ');
    const struct = first.stored?.struct;
    return struct ? `bitStruct(${struct.bits}, ${all})` : all;
  });
  return `${levels.join('')}.place(${places.join(', ')})`;
};

const printPlace = (f: FieldCode, prefix: string): string =>
  f.stored ? `stored(${prefix}${f.name}, ${printFormat(f.stored.format)})` : prefix + f.name;

/** Fields by the bit structs in which they lie; others are alone. */
export const wordsOf = (fields: readonly FieldCode[]): readonly (readonly [FieldCode, ...FieldCode[]])[] => {
  const words: [FieldCode, ...FieldCode[]][] = [];
  for (const f of fields) {
    const name = f.stored?.struct?.name;
    const last = words.at(-1);
    if (last && name !== undefined && last[0].stored?.struct?.name === name) last.push(f);
    else words.push([f]);
  }
  return words;
};

export const printTable = ({ type, plain, values }: TableCode): string => {
  const items = values.map((v) => printNumber(v, !plain && (type === 'i64' || type === 'u64'))).join(', ');
  return plain ? `[${items}]` : `${ARRAYS[type]}.of(${items})`;
};

export const ARRAYS: Readonly<Record<ScalarType, string>> = {
  i8: 'Int8Array',
  i16: 'Int16Array',
  i32: 'Int32Array',
  i64: 'BigInt64Array',
  u8: 'Uint8Array',
  u16: 'Uint16Array',
  u32: 'Uint32Array',
  u64: 'BigUint64Array',
  f32: 'Float32Array',
  f64: 'Float64Array',
};

const indent = (text: string): string => text.replace(/^/gm, '  ');

const block = (body: readonly Statement[]): string =>
  `{\n${body.map((s) => `${indent(printStatement(s))}\n`).join('')}}`;

const printOuter = (o: Outer): string => {
  if (o.do === 'clear') return `  clear(${o.field});`;
  const names = o.names.length === 1 ? o.names[0] : `[${o.names.join(', ')}]`;
  const ranges = o.bounds.map(([from, to]) => `[${from}, ${to}]`);
  const space =
    o.form === 'active'
      ? `active(${o.field})`
      : o.form === 'range'
        ? `range(${o.bounds[0].join(', ')})`
        : `ndrange(${ranges.join(', ')})`;
  return indent(`for (const ${names} of ${o.serial ? `serially(${space})` : space}) ${block(o.body)}`);
};

const printStatement = (s: Statement): string => {
  switch (s.do) {
    case 'let':
      return `let ${s.name} = ${printExpr(s.value)};`;
    case 'set':
      return `${s.name} ${s.op}= ${printExpr(s.value)};`;
    case 'let-vector':
      return `let ${s.name} = ${printVector(s.value)};`;
    case 'set-vector':
      return `${s.name} = ${printVector(s.value)};`;
    case 'let-truth':
      return `let ${s.name} = ${printTruthValue(s.value)};`;
    case 'set-truth':
      return `${s.name} ${s.op}= ${printTruthValue(s.value)};`;
    case 'let-list':
      return `const ${s.name} = [${s.items.map(printExpr).join(', ')}];`;
    case 'set-item':
      return `${s.list}[${printExpr(s.at)}] = ${printExpr(s.value)};`;
    case 'if':
      return `if (${printTruth(s.c)}) ${block(s.then)}${s.otherwise.length > 0 ? ` else ${block(s.otherwise)}` : ''}`;
    case 'loop':
      return printLoop(s);
    case 'jump':
      return `if (${printTruth(s.c)}) ${s.to};`;
    case 'put':
      return `${place(s.field, s.at)} ${s.op}= ${printExpr(s.value)};`;
    case 'atomic': {
      const call = `atomic${s.kind}(${[s.field, ...s.at.map(printExpr), printExpr(s.value)].join(', ')})`;
      return s.into === undefined ? `${call};` : `${s.into} = ${call};`;
    }
    case 'activate':
    case 'deactivate':
      return `${s.do}(${[s.field, ...s.at.map(printExpr)].join(', ')});`;
    case 'append':
      return `append(${place(s.field, s.at)}, ${printExpr(s.value)});`;
    case 'reduce':
      return `${s.name} += ${printExpr(s.value)};`;
  }
};

const printLoop = ({ form, name, times, body }: Statement & { do: 'loop' }): string => {
  switch (form) {
    case 'for':
      return `for (let ${name} = 0; ${name} < ${times}; ${name}++) ${block(body)}`;
    case 'down':
      return `for (let ${name} = ${times - 1}; ${name} >= 0; ${name} -= 1) ${block(body)}`;
    case 'range':
      return `for (const ${name} of range(${times})) ${block(body)}`;
    case 'unrolled':
      return `for (const ${name} of unrolled(range(${times}))) ${block(body)}`;
    case 'while':
      return `{\n  let ${name} = -1;\n${indent(`while (${name} < ${times - 1}) {\n  ${name}++;\n${block(body).slice(2)}`)}\n}`;
    case 'do':
      return `{\n  let ${name} = -1;\n${indent(`do {\n  ${name} += 1;\n${block(body).slice(2)} while (${name} < ${times - 1});`)}\n}`;
  }
};

const place = (field: string, at: readonly Expr[]): string => field + at.map((e) => `[${printExpr(e)}]`).join('');

export const printExpr = (e: Expr): string => {
  switch (e.is) {
    case 'literal': {
      const text = printNumber(e.value);
      return e.bare ? (text.startsWith('-') ? `(${text})` : text) : `${e.type}(${text})`;
    }
    case 'local':
      return e.name;
    case 'read':
      return place(e.field, e.at);
    case 'table':
      return `${e.table}[${printExpr(e.at)}]`;
    case 'item':
      return `${e.list}[${printExpr(e.at)}]`;
    case 'component':
      return `${printVector(e.of)}.${'xy'[e.at]}`;
    case 'dot':
      return `${printVector(e.a)}.dot(${printVector(e.b)})`;
    case 'binary': {
      const [a, b] = [printExpr(e.a), printExpr(e.b)];
      if (e.op === 'min' || e.op === 'max' || e.op === 'imul') return `Math.${e.op}(${a}, ${b})`;
      return e.op === 'idiv' ? `idiv(${a}, ${b})` : `(${a} ${e.op} ${b})`;
    }
    case 'unary':
      return e.op === '-' || e.op === '~' ? `(${e.op}${printExpr(e.a)})` : `Math.${e.op}(${printExpr(e.a)})`;
    case 'select':
      return `(${printTruth(e.c)} ? ${printExpr(e.a)} : ${printExpr(e.b)})`;
    case 'cast':
      return `${e.type}(${printExpr(e.a)})`;
    case 'truth':
      return `${e.type}(${e.by === 'cast' ? '' : e.by}(${printTruthValue(e.a)}))`;
    case 'logic':
      return `(${printExpr(e.a)} ${e.op} ${printExpr(e.b)})`;
  }
};

/** A condition where its value is wanted, which that of a number is not. */
const printTruthValue = (c: Truth): string => (hasNumber(c) ? `!!(${printTruth(c)})` : printTruth(c));

const hasNumber = (c: Truth): boolean =>
  c.is === 'number' || ((c.is === 'both' || c.is === 'either') && (hasNumber(c.a) || hasNumber(c.b)));

const printTruth = (c: Truth): string => {
  switch (c.is) {
    case 'compare':
      return `${printExpr(c.a)} ${c.op} ${printExpr(c.b)}`;
    case 'both':
      return `(${printTruth(c.a)} && ${printTruth(c.b)})`;
    case 'either':
      return `(${printTruth(c.a)} || ${printTruth(c.b)})`;
    case 'not':
      return `!(${printTruth(c.a)})`;
    case 'known':
      return c.name;
    case 'number':
      return printExpr(c.a);
    case 'active':
      return `isActive(${[c.field, ...c.at.map(printExpr)].join(', ')})`;
  }
};

const printVector = (v: Vector): string => {
  switch (v.is) {
    case 'vec':
      return `vec(${v.items.map(printExpr).join(', ')})`;
    case 'local':
      return v.name;
    case 'add':
    case 'sub':
      return `${printVector(v.a)}.${v.is}(${printVector(v.b)})`;
    case 'scaled':
      return `${printVector(v.a)}.mul(${printExpr(v.by)})`;
  }
};

/** A number as it stands in source; -0 keeps its sign, and so do infinities and NaN. */
export const printNumber = (x: Scalar, long = false): string =>
  typeof x === 'bigint' ? `${x}${long ? 'n' : ''}` : Object.is(x, -0) ? '-0' : String(x);
