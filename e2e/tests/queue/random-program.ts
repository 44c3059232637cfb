import * as fc from 'fast-check';
import {
  active,
  array,
  clear,
  dense,
  field,
  i,
  idiv,
  kernel,
  layout,
  range,
  serially,
  deactivate,
  type Kernels,
} from 'filigree';

/** What a random program computes with: whole numbers, or numbers whose sums round. */
export type Numbers = 'i32' | 'f64';

/** Two fields in one sparse tree, one in another, one dense. */
const NAMES = ['a', 'b', 'c', 'd'] as const;

const EXTENT = 16;

const role = fc.constantFrom('own', 'own', 'sum', 'read');
const place = fc.constantFrom('q', 'q', 'idiv(q, 2)', '(q + 1) % 16', '2');
const statement = fc.record({
  from: fc.nat(3),
  there: place,
  to: fc.nat(3),
  at: place,
  plus: fc.integer({ min: 1, max: 5 }),
  guarded: fc.boolean(),
});
const part = fc.record({
  is: fc.constantFrom('a', 'a', 'c', 'whole', 'whole', 'some', 'beside', 'even', 'serial', 'fill', 'drop', 'clear'),
  roles: fc.tuple(role, role, role, role),
  body: fc.array(statement, { minLength: 1, maxLength: 3 }),
});

type Statement = typeof statement extends fc.Arbitrary<infer S> ? S : never;
type Part = typeof part extends fc.Arbitrary<infer P> ? P : never;

/** The bodies of a few kernels, as text. */
export const randomBodies = (numbers: Numbers): fc.Arbitrary<readonly string[]> =>
  fc
    .array(fc.array(part, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })
    .map((kernels) => kernels.map((parts) => parts.map((p) => partText(p, numbers)).join('\n')));

const partText = ({ is, roles, body }: Part, numbers: Numbers): string => {
  const [first] = body;
  if (is === 'clear') return 'clear(a);';
  if (is === 'drop') return `deactivate(a, ${first.plus * 3 - 3});`;
  if (is === 'fill') return `for (const q of range(${EXTENT})) ${NAMES[first.to]}[q] = ${first.plus};`;
  if (is === 'serial') return `${NAMES[first.to]}[2] = ${valueOf(NAMES[first.from], '2', first)};`;
  const domain = { a: 'active(a)', c: 'active(c)', whole: `range(${EXTENT})`, some: SOME, beside: SOME, even: SOME }[
    is
  ];
  const own = { beside: 'q + 1', even: '2 * q' }[is as string] ?? 'q';
  const statements = body.map((s) => statementText(s, roles, numbers, own)).filter((s) => s !== '');
  return `for (const q of ${domain}) {\n  ${statements.join('\n  ')}\n}`;
};

const SOME = 'range(1, 7)';

/*
 * No two iterations touch one element, unless both add to it or both read it: what a field is for in a loop, its role, is the same for all
 * statements there.
 */
const statementText = (s: Statement, roles: Part['roles'], numbers: Numbers, own: string): string => {
  const { to, at, plus, guarded } = s;
  const source = NAMES[s.from];
  const is = roles[s.from];
  const value = is === 'sum' ? String(plus) : valueOf(source, is === 'own' ? own : s.there, s);
  if (roles[to] === 'sum') return `${NAMES[to]}[${at}] += ${value};`;
  if (roles[to] === 'read') return '';
  const store = `${NAMES[to]}[${own}] = ${value};`;
  /* Of numbers that round, a comparison may go either way. */
  return guarded && numbers === 'i32' && is !== 'sum'
    ? `if (${source}[${is === 'own' ? own : s.there}] < ${plus}) ${store}`
    : store;
};

const valueOf = (source: string, at: string, { plus }: Statement): string => `${source}[${at}] * p + ${plus}`;

/** A layout of its own, and kernels with these bodies; beside them what takes an array, and what returns a number. */
export const programOf = (bodies: readonly string[], numbers: Numbers) => {
  const fields = NAMES.map((name) => field(name, numbers));
  const [a, b, c, d] = fields;
  const scope = { active, clear, deactivate, idiv, range, serially };
  const written = (names: readonly string[], body: string): never =>
    new Function(`return (${names.join(', ')}) => {\n${body}\n}`)() as never;
  const kernels: Kernels = {
    ...Object.fromEntries(
      bodies.map((body, k) => [`k${k}`, kernel([...fields, numbers], { scope }, written([...NAMES, 'p'], body))]),
    ),
    put: kernel(
      [d, array(numbers, EXTENT)],
      { scope },
      written(['d', 'values'], 'for (const q of range(values.length)) d[q] += values[q];'),
    ),
    total: kernel(
      [c],
      { scope },
      written(['c'], 'let sum = 0; for (const q of serially(range(16))) sum += c[q]; return sum;'),
    ),
  };
  const tree = layout(
    dense(i, 4).pointer().dense(i, 4).place(a, b),
    dense(i, 4).bitmasked().dense(i, 4).place(c),
    dense(i, EXTENT).place(d),
  );
  return { tree, kernels };
};

/** A launch, or an access by the host. */
export const randomSteps = fc.array(
  fc.record({
    what: fc.constantFrom('kernel', 'kernel', 'kernel', 'kernel', 'put', 'total', 'host'),
    which: fc.nat(2),
    p: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);
