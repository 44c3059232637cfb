import { Bytes } from './bytes.js';
import { type Immediate, instructionOf } from './instructions.js';
import type { Tokens } from './tokens.js';
import { integer32, integer64, number32, number64 } from './numbers.js';

/** The number of each name of a module, and a number for each signature. */
export interface Names {
  readonly functions: ReadonlyMap<string, number>;
  readonly globals: ReadonlyMap<string, number>;
  readonly types: ReadonlyMap<string, number>;
}

/** What a body writes to and may refer to. */
interface Body {
  readonly t: Tokens;
  readonly out: Bytes;
  readonly names: Names;
  readonly locals: ReadonlyMap<string, number>;
  /** Names of the blocks around, the innermost last. */
  readonly labels: string[];
  /** Instructions whose operands come first, the innermost last. */
  readonly waiting: Bytes;
}

/** Types of values, as they are encoded. */
export const VALUE_TYPES: Readonly<Record<string, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b };

/** Instructions up to the `)` that closes what they stand in, without it. Both forms: `(i32.add (a) (b))` and `a b i32.add`. */
export const writeCode = (t: Tokens, out: Bytes, names: Names, locals: ReadonlyMap<string, number>): void =>
  sequence({ t, out, names, locals, labels: [], waiting: new Bytes() });

const sequence = (b: Body): void => {
  while (b.t.word !== ')') {
    if (b.t.take('(')) folded(b);
    else plain(b, b.out);
  }
};

/* Operands first: the instruction waits until they are written. */
const folded = (b: Body): void => {
  const { t, out } = b;
  const head = t.word;
  if (head === 'block' || head === 'loop') {
    t.next();
    const label = labelOf(t);
    out.byte(head === 'block' ? 0x02 : 0x03).byte(resultOf(t));
    b.labels.push(label);
    sequence(b);
    b.labels.pop();
    out.byte(0x0b);
  } else if (head === 'if') branch(b);
  else {
    const start = b.waiting.length;
    plain(b, b.waiting);
    while (t.take('(')) folded(b);
    b.waiting.moveTo(out, start);
  }
  t.expect(')');
};

/* (if (result t)? condition… (then …) (else …)?) */
const branch = (b: Body): void => {
  const { t, out } = b;
  t.next();
  const label = labelOf(t);
  const result = resultOf(t);
  while (!t.opens('then')) {
    t.expect('(');
    folded(b);
  }
  out.byte(0x04).byte(result);
  b.labels.push(label);
  sequence(b);
  t.expect(')');
  if (t.opens('else')) {
    out.byte(0x05);
    sequence(b);
    t.expect(')');
  }
  b.labels.pop();
  out.byte(0x0b);
};

const labelOf = (t: Tokens): string => (t.word.startsWith('$') ? t.next() : '');

const resultOf = (t: Tokens): number => {
  if (!t.opens('result')) return 0x40;
  const type = VALUE_TYPES[t.word] ?? t.refuse('expected a type of values');
  t.next();
  t.expect(')');
  return type;
};

/* An instruction with its immediates. */
const plain = (b: Body, out: Bytes): void => {
  const instruction = instructionOf(b.t.word) ?? b.t.refuse('there is no such instruction');
  b.t.next();
  const { prefix, code, immediate, bytes } = instruction;
  if (prefix > 0) out.byte(prefix).u32(code);
  else out.byte(code);
  writers[immediate](b, out, bytes);
};

const indexOf = (t: Tokens, names: ReadonlyMap<string, number>, what: string): number => {
  const index = t.word.startsWith('$') ? names.get(t.word) : Number(t.word);
  if (index === undefined || !Number.isInteger(index)) return t.refuse(`there is no such ${what}`);
  t.next();
  return index;
};

const depthOf = ({ t, labels }: Body): number => {
  if (!t.word.startsWith('$')) return integer32(t);
  const at = labels.lastIndexOf(t.word);
  if (at < 0) t.refuse('there is no such block');
  t.next();
  return labels.length - 1 - at;
};

/* offset=8 align=4; alignment is that of the access unless it is said. */
const memoryArgument = (t: Tokens, out: Bytes, bytes: number): void => {
  let [offset, align] = [0, bytes];
  for (; /^(offset|align)=/.test(t.word); t.next()) {
    const value = Number(t.word.slice(t.word.indexOf('=') + 1));
    if (!Number.isSafeInteger(value)) t.refuse('expected a number');
    if (t.word.startsWith('o')) offset = value;
    else align = value;
  }
  out.u32(Math.log2(align)).u32(offset);
};

const lane = (t: Tokens, out: Bytes): void => void out.byte(integer32(t));

const writers: Readonly<Record<Immediate, (b: Body, out: Bytes, bytes: number) => void>> = {
  none: () => undefined,
  zero: (_, out) => void out.byte(0),
  zeros: (_, out) => void out.byte(0).byte(0),
  local: ({ t, locals }, out) => void out.u32(indexOf(t, locals, 'local')),
  global: ({ t, names }, out) => void out.u32(indexOf(t, names.globals, 'global')),
  function: ({ t, names }, out) => void out.u32(indexOf(t, names.functions, 'function')),
  label: (b, out) => void out.u32(depthOf(b)),
  labels: (b, out) => {
    const depths: number[] = [];
    while (b.t.word !== '(' && b.t.word !== ')') depths.push(depthOf(b));
    out.u32(depths.length - 1);
    for (const d of depths) out.u32(d);
  },
  type: ({ t, names }, out) => {
    if (!t.opens('type')) t.refuse('expected (type');
    out.u32(indexOf(t, names.types, 'type')).u32(0);
    t.expect(')');
  },
  i32: ({ t }, out) => void out.s32(integer32(t)),
  i64: ({ t }, out) => void out.s64(integer64(t)),
  f32: ({ t }, out) => number32(t, out),
  f64: ({ t }, out) => number64(t, out),
  lane: ({ t }, out) => lane(t, out),
  lanes: ({ t }, out) => {
    for (let k = 0; k < 16; k++) lane(t, out);
  },
  memory: ({ t }, out, bytes) => memoryArgument(t, out, bytes),
  'memory lane': ({ t }, out, bytes) => {
    memoryArgument(t, out, bytes);
    lane(t, out);
  },
  v128: ({ t }, out) => vectorConstant(t, out),
};

const vectorConstant = (t: Tokens, out: Bytes): void => {
  const shape = t.next();
  const lanes = Number(shape.slice(shape.indexOf('x') + 1));
  if (!/^(i8x16|i16x8|i32x4|i64x2|f32x4|f64x2)$/.test(shape)) t.refuse('expected the shape of a vector before this');
  for (let k = 0; k < lanes; k++) {
    if (shape === 'f32x4') number32(t, out);
    else if (shape === 'f64x2') number64(t, out);
    else {
      let value = integer64(t);
      for (let byte = 0; byte < 16 / lanes; byte++, value >>= 8n) out.byte(Number(value & 0xffn));
    }
  }
};
