import { Bytes } from './bytes.js';
import { VALUE_TYPES, type Names, writeCode } from './code.js';
import { integer32 } from './numbers.js';
import { Tokens } from './tokens.js';

/**
 * WebAssembly text to bytes: modules of one imported memory, imported functions, globals, functions, and one table of functions that
 * elements fill, in which instructions may be any of the standard, SIMD and threads among them. Throws `TextProblem` with the line.
 */
export const assembleModule = (text: string): Uint8Array => {
  const declared = declare(new Tokens(text));
  return write(new Tokens(text), declared);
};

interface Declared extends Names {
  /** Signatures as they are encoded, each once, in the order of their numbers. */
  readonly signatures: readonly string[];
  readonly imports: number;
}

interface Signature {
  readonly params: readonly { readonly name: string; readonly type: number }[];
  readonly results: readonly number[];
  /** Where `(type $t)` names it. */
  readonly type: string | undefined;
}

/* Names first, since functions call those behind them. */
const declare = (t: Tokens): Declared => {
  const functions = new Map<string, number>();
  const globals = new Map<string, number>();
  const types = new Map<string, number>();
  const signatures: string[] = [];
  const implicit: string[] = [];
  let counts = { functions: 0, globals: 0 };
  let imports = 0;
  const declareFunction = (): void => {
    name(t, functions, counts.functions);
    counts = { ...counts, functions: counts.functions + 1 };
    skipExports(t);
    const s = signature(t);
    if (s.type === undefined) implicit.push(encoded(s));
  };
  fields(t, (field) => {
    if (field === 'type') {
      name(t, types, signatures.length);
      if (!t.opens('func')) t.refuse('expected (func');
      signatures.push(encoded(signature(t)));
      t.expect(')');
    } else if (field === 'import') {
      t.next();
      t.next();
      if (t.opens('func')) {
        imports++;
        declareFunction();
        t.expect(')');
      }
    } else if (field === 'func') declareFunction();
    else if (field === 'global') {
      name(t, globals, counts.globals);
      counts = { ...counts, globals: counts.globals + 1 };
    }
    skipToEnd(t);
  });
  for (const s of implicit) if (!signatures.includes(s)) signatures.push(s);
  return { functions, globals, types, signatures, imports };
};

const write = (t: Tokens, names: Declared): Uint8Array => {
  const sections = {
    imports: section(),
    functions: section(),
    table: section(),
    globals: section(),
    exports: section(),
    elements: section(),
    code: section(),
  };
  let functions = 0;
  let globals = 0;
  const typeNumber = (s: Signature): number =>
    s.type === undefined
      ? names.signatures.indexOf(encoded(s))
      : (names.types.get(s.type) ?? t.refuse(`no type ${s.type}`));
  const exported = (kind: number, index: number): void => {
    while (t.opens('export')) {
      add(sections.exports).sized(stringOf(t)).byte(kind).u32(index);
      t.expect(')');
    }
  };
  fields(t, (field) => {
    if (field === 'import') {
      const from = add(sections.imports).sized(stringOf(t)).sized(stringOf(t));
      if (t.opens('memory')) limits(t, from.byte(2));
      else if (t.opens('func')) {
        functions++;
        if (t.word.startsWith('$')) t.next();
        from.byte(0).u32(typeNumber(signature(t)));
      } else t.refuse('expected (func or (memory');
      t.expect(')');
      t.expect(')');
    } else if (field === 'global') {
      if (t.word.startsWith('$')) t.next();
      exported(3, globals++);
      const mutable = t.opens('mut');
      const out = add(sections.globals)
        .byte(valueType(t))
        .byte(mutable ? 1 : 0);
      if (mutable) t.expect(')');
      writeCode(t, out, names, new Map());
      out.byte(0x0b);
      t.expect(')');
    } else if (field === 'table') {
      t.expect('funcref');
      if (!t.opens('elem')) t.refuse('expected (elem');
      const elements: number[] = [];
      for (; t.word !== ')'; t.next())
        elements.push(names.functions.get(t.word) ?? t.refuse('there is no such function'));
      t.expect(')');
      t.expect(')');
      add(sections.table).byte(0x70).byte(1).u32(elements.length).u32(elements.length);
      const out = add(sections.elements).byte(0).byte(0x41).s32(0).byte(0x0b).u32(elements.length);
      for (const e of elements) out.u32(e);
    } else if (field === 'func') {
      if (t.word.startsWith('$')) t.next();
      exported(0, functions++);
      const s = signature(t);
      add(sections.functions).u32(typeNumber(s));
      add(sections.code).sized(body(t, s, names));
      t.expect(')');
    } else if (field === 'type') skipToEnd(t);
    else t.refuse(`a module cannot have '${field}' before this`);
  });
  const out = new Bytes().all(HEADER);
  const types = section();
  for (const s of names.signatures) add(types).all(Uint8Array.from(s, (c) => c.charCodeAt(0)));
  const { imports, table, exports, elements, code } = sections;
  const order = [
    [1, types],
    [2, imports],
    [3, sections.functions],
    [4, table],
    [6, sections.globals],
    [7, exports],
    [9, elements],
    [10, code],
  ] as const;
  for (const [id, { count, bytes }] of order)
    if (count > 0) out.byte(id).sized(new Bytes().u32(count).all(bytes.done()).done());
  return out.done();
};

const HEADER = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

interface Section {
  count: number;
  readonly bytes: Bytes;
}

const section = (): Section => ({ count: 0, bytes: new Bytes() });

/** Where the next entry of a section is to be written. */
const add = (s: Section): Bytes => {
  s.count++;
  return s.bytes;
};

/** Calls `visit` behind the head of each field; it reads the field to its end. */
const fields = (t: Tokens, visit: (field: string) => void): void => {
  if (!t.opens('module')) t.refuse('expected (module');
  while (!t.take(')')) {
    t.expect('(');
    visit(t.next());
  }
  if (t.word !== '') t.refuse('expected the end');
};

/* Locals are counted in runs of one type. */
const body = (t: Tokens, { params }: Signature, names: Names): Uint8Array => {
  const locals = new Map<string, number>();
  let count = 0;
  const declareLocal = (name: string): void => {
    if (name !== '') locals.set(name, count);
    count++;
  };
  for (const p of params) declareLocal(p.name);
  const runs: { type: number; length: number }[] = [];
  while (t.opens('local'))
    for (const { name, type } of typedNames(t)) {
      declareLocal(name);
      const last = runs.at(-1);
      if (last?.type === type) last.length++;
      else runs.push({ type, length: 1 });
    }
  const out = new Bytes().u32(runs.length);
  for (const { type, length } of runs) out.u32(length).byte(type);
  writeCode(t, out, names, locals);
  return out.byte(0x0b).done();
};

const signature = (t: Tokens): Signature => {
  let type: string | undefined;
  const params: { readonly name: string; readonly type: number }[] = [];
  const results: number[] = [];
  if (t.opens('type')) {
    type = t.next();
    t.expect(')');
  }
  while (t.opens('param')) params.push(...typedNames(t));
  while (t.opens('result')) results.push(...typedNames(t).map((r) => r.type));
  return { type, params, results };
};

/* `$x i32)`, or types without names. */
const typedNames = (t: Tokens): { readonly name: string; readonly type: number }[] => {
  const found: { readonly name: string; readonly type: number }[] = [];
  while (!t.take(')')) found.push({ name: t.word.startsWith('$') ? t.next() : '', type: valueType(t) });
  return found;
};

const valueType = (t: Tokens): number => {
  const type = VALUE_TYPES[t.word] ?? t.refuse('expected a type of values');
  t.next();
  return type;
};

/* As a string of bytes, so that equal ones are found. */
const encoded = ({ params, results }: Signature): string =>
  String.fromCharCode(0x60, params.length, ...params.map((p) => p.type), results.length, ...results);

const name = (t: Tokens, names: Map<string, number>, index: number): void => {
  if (!t.word.startsWith('$')) return;
  if (names.has(t.word)) t.refuse('this name is taken');
  names.set(t.next(), index);
};

const skipExports = (t: Tokens): void => {
  while (t.opens('export')) {
    t.next();
    t.expect(')');
  }
};

const skipToEnd = (t: Tokens): void => {
  for (let depth = 1; depth > 0; t.next()) {
    if (t.word === '') t.refuse('expected )');
    if (t.word === '(') depth++;
    else if (t.word === ')') depth--;
  }
};

const limits = (t: Tokens, out: Bytes): void => {
  const least = integer32(t);
  const most = /^\d/.test(t.word) ? integer32(t) : undefined;
  const shared = t.take('shared');
  out.byte((shared ? 2 : 0) | (most === undefined ? 0 : 1)).u32(least);
  if (most !== undefined) out.u32(most);
};

/* A string: characters, and escapes of a byte. */
const stringOf = (t: Tokens): Uint8Array => {
  if (!t.word.startsWith('"')) t.refuse('expected a string');
  const text = t.next().slice(1, -1);
  const bytes: number[] = [];
  for (let k = 0; k < text.length; k++) {
    if (text[k] !== '\\') bytes.push(...new TextEncoder().encode(text[k]));
    else {
      bytes.push(parseInt(text.slice(k + 1, k + 3), 16));
      k += 2;
    }
  }
  return Uint8Array.from(bytes);
};
