import type { Expr, Statement } from './code.js';
import { expression, masked, places, stored, truth, vector, within } from './generate-expressions.js';
import { isFloat, type Binary, type ScalarType } from './scalars.js';
import { sharingWith } from './rounded.js';
import type { Access, Scope } from './scope.js';
import { isSparse } from './state.js';

/** A random block. What it declares is in scope from there on. */
export const statements = (s: Scope, depth: number): readonly Statement[] => {
  const list = s.d.list(1, 4, () => statement(s, depth));
  /* Most blocks end by writing what they computed. */
  const writable = s.access.filter((a) => a.role !== 'read');
  return writable.length > 0 && s.d.chance(0.8) ? [...list, write(s, s.d.of(writable))] : list;
};

const statement = (s: Scope, depth: number): Statement => {
  const { d } = s;
  const roll = d.int(25);
  if (roll === 24) return conditions(s);
  if (roll < 5) return declared(s);
  if (roll < 8) return assigned(s) ?? declared(s);
  if (roll < 9) return vectors(s);
  if (roll < 10) return lists(s);
  if (roll < 13 && depth > 0)
    return {
      do: 'if',
      c: truth(s, 2),
      then: statements(s.inner(), depth - 1),
      otherwise: d.chance(0.5) ? statements(s.inner(), depth - 1) : [],
    };
  if (roll < 16 && depth > 0) return looped(s, depth);
  if (roll < 17 && s.inLoop) return { do: 'jump', c: truth(s, 1), to: d.of(['break', 'continue'] as const) };
  if (roll < 18 && s.parts.sums.length > 0 && !s.loop.serial) {
    const { name, type } = d.of(s.parts.sums);
    return { do: 'reduce', name, value: expression(s, type, 2) };
  }
  if (roll < 19 && s.loop.serial) return activity(s) ?? declared(s);
  const writable = s.access.filter((a) => a.role !== 'read');
  return writable.length > 0 ? write(s, d.of(writable)) : declared(s);
};

const declared = (s: Scope): Statement => {
  const type = s.d.of(s.wide);
  const value = expression(s, type, 3);
  const name = s.fresh('x');
  s.locals.push({ name, type, free: true });
  return { do: 'let', name, value };
};

const assigned = (s: Scope): Statement | undefined => {
  const { d } = s;
  const free = s.locals.filter((l) => l.free);
  if (free.length === 0) return undefined;
  const { name, type } = d.of(free);
  const ops: readonly (Binary | '')[] = isFloat(type)
    ? ['', '', '+', '-', '*']
    : ['', '', '+', '-', '*', '&', '|', '^'];
  return { do: 'set', name, op: d.of(ops), value: expression(s, type, 3) };
};

const vectors = (s: Scope): Statement => {
  const { d } = s;
  if (s.vectors.length > 0 && d.chance(0.5)) {
    const { name, type } = d.of(s.vectors);
    return { do: 'set-vector', name, value: vector(s, type, 2) };
  }
  const type = d.of(s.wide);
  const value = vector(s, type, 2);
  const name = s.fresh('w');
  s.vectors.push({ name, type });
  return { do: 'let-vector', name, value };
};

const conditions = (s: Scope): Statement => {
  const { d } = s;
  if (s.truths.length > 0 && d.chance(0.5))
    return { do: 'set-truth', name: d.of(s.truths), op: d.of(['', '&&', '||'] as const), value: truth(s, 2) };
  const value = truth(s, 2);
  const name = s.fresh('t');
  s.truths.push(name);
  return { do: 'let-truth', name, value };
};

const lists = (s: Scope): Statement => {
  const { d } = s;
  if (s.lists.length > 0 && d.chance(0.6)) {
    const { name, type } = d.of(s.lists);
    return { do: 'set-item', list: name, at: masked(s), value: expression(s, type, 2) };
  }
  const type = d.of(s.wide);
  const items = d.list(4, 4, () => expression(s, type, 1));
  const name = s.fresh('r');
  s.lists.push({ name, type });
  return { do: 'let-list', name, items };
};

const looped = (s: Scope, depth: number): Statement => {
  const { d } = s;
  const form = d.of(['for', 'down', 'range', 'unrolled', 'while', 'do'] as const);
  const name = s.fresh('q');
  /* What an unrolled loop counts is a literal, which adopts types; as an i32 it is what it is in other loops. */
  const inner = s.inner(form !== 'unrolled');
  const counter = s.fresh('n');
  inner.locals.push({ name: counter, type: 'i32', free: true });
  const read: Statement = {
    do: 'let',
    name: counter,
    value: { is: 'cast', type: 'i32', a: { is: 'local', type: 'i32', name } },
  };
  const times = form === 'do' ? 1 + d.int(3) : d.int(5);
  return { do: 'loop', form, name, times, body: [read, ...statements(inner, depth - 1)] };
};

const activity = (s: Scope): Statement | undefined => {
  const { d } = s;
  const { field, tree } = d.of(s.access);
  const innermost = tree.levels.filter(isSparse).at(-1);
  if (innermost === undefined) return undefined;
  if (innermost.kind === 'dynamic')
    return {
      do: 'append',
      field: field.name,
      at: within(s, tree).slice(0, -1),
      value: stored(s, field.type, 2),
    };
  return { do: d.of(['activate', 'deactivate'] as const), field: field.name, at: within(s, tree) };
};

const write = (s: Scope, { field, tree, role, kind }: Access): Statement => {
  const { d } = s;
  const value = stored(s, field.type, 3);
  const { name, type } = field;
  /* In what order `+=` adds is not said, so that it is for numbers whose sums are exact. */
  const adds = isFloat(type) ? s.parts.choice.floats !== 'any' || field.stored !== undefined : true;
  const isAlone = sharingWith(tree.fields, field).length === 0;
  const adding = adds && isAlone ? (['', '', '', '+', '-'] as const) : ([''] as const);
  if (role === 'own') return { do: 'put', field: name, at: s.own, op: d.of(adding), value };
  const isHash = tree.levels[0].kind === 'hash';
  const at = isHash ? within(s, tree) : places(s, tree);
  if (role === 'atomic')
    return kind === 'Add' && d.chance(0.5)
      ? { do: 'put', field: name, at, op: d.of(['+', '-'] as const), value, shared: true }
      : { do: 'atomic', kind, field: name, at, value, shared: true };
  if (d.chance(0.25) && !isFloat(type)) return exchanged(s, name, type, at, value);
  return { do: 'put', field: name, at, op: d.of(adding), value };
};

/** An atomic operation, whose previous value goes into a local if there is one. */
const exchanged = (s: Scope, field: string, type: ScalarType, at: readonly Expr[], value: Expr): Statement => {
  const kind = s.d.of(['Add', 'Min', 'Max', 'And', 'Or', 'Xor'] as const);
  const into = s.locals.find((l) => l.free && l.type === type);
  return { do: 'atomic', kind, field, at, value, ...(into ? { into: into.name } : {}) };
};
