import { drawFrom } from '../draw.js';
import { assigned, index, int, number, summary, truth } from './expressions.js';
import { Names, type Kind } from './names.js';

/** A statement as text, with what stands in its braces. */
export interface Statement {
  readonly head: string;
  readonly body?: readonly Statement[];
}

/** A script: what each iteration of a loop over the elements of `a` and `k` does, and what it leaves there. */
export interface Script {
  readonly statements: readonly Statement[];
  readonly result: readonly string[];
}

export const randomScript = (seed: number): Script => {
  const d = drawFrom(seed);
  const names = new Names(
    d,
    [
      { name: 'i', kind: 'int' },
      { name: 'ki', kind: 'int' },
      { name: 'x', kind: 'number' },
    ],
    { of: 0 },
  );
  const statements = d.list(4, 10, () => statement(names, 3, false));
  return { statements, result: names.all.map(summary) };
};

/** The script as a function of `a` and `k`, which uses `range` and `objects`. */
export const textOfScript = ({ statements, result }: Script): string =>
  [
    '(a, k) => {',
    '  for (const i of range(16)) {',
    '    const ki = k[i];',
    '    const x = a[i];',
    ...statements.flatMap((s) => linesOf(s, 4)),
    '    let out = 0;',
    ...result.map((r) => `    out = out * 0.5 + ${r};`),
    '    a[i] = out;',
    '  }',
    '}',
  ].join('\n');

const linesOf = ({ head, body }: Statement, indent: number): readonly string[] => {
  const space = ' '.repeat(indent);
  return body
    ? [`${space}${head} {`, ...body.flatMap((s) => linesOf(s, indent + 2)), `${space}}`]
    : [`${space}${head}`];
};

const block = (n: Names, depth: number, looped: boolean): readonly Statement[] => {
  const own = n.within();
  return n.d.list(1, 4, () => statement(own, depth - 1, looped));
};

const statement = (n: Names, depth: number, looped: boolean): Statement => {
  const { d } = n;
  const flat = [declaration, declaration, change, change, made, part, ...(looped ? [leaves] : [])];
  return depth > 0 && d.chance(0.45)
    ? d.of([branch, counted, visited, whilst, cases, search, helper])(n, depth, looped)
    : d.of(flat)(n);
};

const nothing: Statement = { head: ';' };

const declaration = (n: Names): Statement => {
  const kind = n.d.of<Kind>(['int', 'number', 'truth', 'object', 'text', 'int', 'number']);
  const changes = n.d.chance(0.7);
  const value = assigned(n, kind);
  return { head: `${changes ? 'let' : 'const'} ${n.add({ name: n.fresh(), kind, changes }).name} = ${value};` };
};

const change = (n: Names): Statement => {
  const to = n.changing('int', 'number', 'truth', 'object', 'text');
  if (!to) return nothing;
  if (to.kind === 'int' && n.d.chance(0.3)) return { head: `${to.name}++;` };
  return { head: `${to.name} = ${assigned(n, to.kind)};` };
};

/** A list, an object or a list of objects of the script's own. */
const made = (n: Names): Statement => {
  const { d } = n;
  const record = (): string => `{ p: ${number(n, 1)}, q: ${number(n, 0)} }`;
  const [kind, length, value] = d.of<() => readonly [Kind, number, string]>([
    () => ['record', 1, record()],
    () => ['records', 4, `[${d.list(4, 4, record).join(', ')}]`],
    () => ['list', 4, `[${d.list(4, 4, () => number(n, 1)).join(', ')}]`],
    () => ['list', 16, `new Array(16).fill(${number(n, 1)})`],
  ])();
  return { head: `const ${n.add({ name: n.fresh(), kind, length }).name} = ${value};` };
};

/** Assigns to a part of one. */
const part = (n: Names): Statement => {
  const to = n.one('list', 'record', 'records');
  if (!to) return nothing;
  const at = to.kind === 'record' ? '' : `[${index(n, 1, to.length!)}]`;
  const member = to.kind === 'list' ? '' : n.d.of(['.p', '.q']);
  return { head: `${to.name}${at}${member} ${n.d.of(['=', '+=', '-='])} (${number(n, 2)}) % 16;` };
};

const leaves = (n: Names): Statement => ({ head: `if (${truth(n, 2)}) ${n.d.of(['break', 'continue'])};` });

const branch = (n: Names, depth: number, looped: boolean): Statement => ({
  head: `if (${truth(n, 2)})`,
  body: block(n, depth, looped),
});

const counted = (n: Names, depth: number): Statement => {
  const name = n.fresh();
  const inner = n.within();
  inner.add({ name, kind: 'int' });
  const end = n.d.chance(0.5) ? String(1 + n.d.int(6)) : `(${int(n, 1)} & 7)`;
  const head = n.d.chance(0.7)
    ? `for (let ${name} = ${n.d.int(2)}; ${name} < ${end}; ${name}++)`
    : `for (let ${name} = ${end}; ${name} > 0; ${name}--)`;
  return { head, body: block(inner, depth, true) };
};

const visited = (n: Names, depth: number): Statement => {
  const [name, list] = [n.fresh(), n.d.chance(0.5) ? n.one('list') : undefined];
  const inner = n.within();
  inner.add({ name, kind: list ? 'number' : 'object' });
  return { head: `for (const ${name} of ${list?.name ?? 'objects'})`, body: block(inner, depth, true) };
};

const whilst = (n: Names, depth: number): Statement => {
  const name = n.fresh();
  const inner = n.within();
  inner.add({ name, kind: 'int' });
  const head = `for (let ${name} = ${int(n, 1)} & 7; ${name} > 0 && ${truth(inner, 1)}; )`;
  return { head, body: [{ head: `${name}--;` }, ...block(inner, depth, true)] };
};

const cases = (n: Names, depth: number): Statement => {
  const one = (at: string): readonly Statement[] => [
    { head: at, body: block(n, depth, false) },
    ...(n.d.chance(0.7) ? [{ head: 'break;' }] : []),
  ];
  return { head: `switch (${int(n, 2)} & 3)`, body: ['case 0:', 'case 1:', 'default:'].flatMap(one) };
};

/** The last, or the least, of the objects of which something holds. */
const search = (n: Names): Statement => {
  const { d } = n;
  const holds = `c.v ${d.of(['<', '>'])} ${number(n, 1)}`;
  const { name } = n.add({ name: n.fresh(), kind: 'maybe' });
  const beats = d.chance(0.5) ? ` && (${name} === null || c.w > ${name}.w)` : '';
  return { head: `let ${name} = null; for (const c of objects) if (${holds}${beats}) ${name} = c;` };
};

const helper = (n: Names): Statement => {
  const seen = n.asSeen();
  const [whole, real] = [seen.add({ name: n.fresh(), kind: 'int' }), seen.add({ name: n.fresh(), kind: 'number' })];
  const { name } = n.add({ name: n.fresh(), kind: 'function' });
  const body = seen.d.chance(0.5)
    ? `(${number(seen, 2)}) % 16`
    : `{ if (${truth(seen, 1)}) return ${number(seen, 1)}; return (${number(seen, 2)}) % 8; }`;
  return { head: `const ${name} = (${whole.name}, ${real.name}) => ${body};` };
};
