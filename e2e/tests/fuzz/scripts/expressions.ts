import type { Kind, Name, Names } from './names.js';

/*
 * Expressions as text. Numbers are multiples of powers of two, and no larger than f64 holds exactly, so that the order of a sum does not show; integers stay far below
 * 2³¹, where those of kernels would wrap.
 */

type Write = () => string;

const chosen = (n: Names, depth: number, leaf: Write, others: readonly (Write | undefined)[]): string => {
  const there = others.filter((w) => w !== undefined);
  return depth <= 0 || there.length === 0 || n.d.chance(0.25) ? leaf() : n.d.of(there)();
};

/** What a name gives, if there is such a name. */
const by = (name: Name | undefined, write: (name: Name) => string): Write | undefined => name && (() => write(name));

export const int = (n: Names, depth: number): string => {
  const { d } = n;
  const a = (): string => int(n, depth - 1);
  const leaf = (): string => (d.chance(0.7) ? n.one('int')?.name : undefined) ?? String(d.int(9) - 3);
  return chosen(n, depth, leaf, [
    () => `(${a()} ${d.of(['+', '-'])} ${a()})`,
    () => `((${a()} & 63) * ${d.int(7)})`,
    () => `(${a()} & ${d.of([1, 3, 7, 15])})`,
    () => `(${a()} % ${2 + d.int(5)})`,
    () => `(${a()} >> ${d.int(3)})`,
    () => `(${truth(n, depth - 1)} ? ${a()} : ${a()})`,
    () => `Math.${d.of(['min', 'max'])}(${a()}, ${a()})`,
    () => `Math.abs(${a()})`,
    () => `Math.${d.of(['floor', 'ceil', 'trunc'])}(${number(n, depth - 1)})`,
    () => `Math.floor(${a()} / ${1 + d.int(4)})`,
    by(n.one('text'), ({ name }) => `${name}.length`),
    by(n.one('object'), ({ name }) => `${name}.id`),
    by(n.one('list'), ({ name }) => `${name}.indexOf(${number(n, depth - 1)})`),
    by(n.one('list'), ({ name }) => `${name}.findIndex((e) => e > ${number(n, depth - 1)})`),
  ]);
};

export const number = (n: Names, depth: number): string => {
  const { d } = n;
  const a = (): string => number(n, depth - 1);
  const leaf = (): string => (d.chance(0.6) ? n.one('number')?.name : undefined) ?? String((d.int(64) - 32) / 8);
  return chosen(n, depth, leaf, [
    () => `(${a()} ${d.of(['+', '-'])} ${a()})`,
    () => `(${a()} * ${d.of(['0.5', '2', '-1', '0.25'])})`,
    () => `(${truth(n, depth - 1)} ? ${a()} : ${a()})`,
    () => `Math.${d.of(['min', 'max'])}(${a()}, ${a()})`,
    () => `Math.abs(${a()})`,
    () => `objects[${index(n, depth - 1, 4)}].${d.of(['v', 'w'])}`,
    by(n.one('object'), ({ name }) => `${name}.${d.of(['v', 'w', `row[${index(n, depth - 1, 2)}]`])}`),
    by(n.one('maybe'), ({ name }) => `(${name}?.v ?? ${a()})`),
    by(n.one('record'), ({ name }) => `${name}.${d.of(['p', 'q'])}`),
    by(n.one('records'), ({ name, length }) => `${name}[${index(n, depth - 1, length!)}].${d.of(['p', 'q'])}`),
    by(n.one('list'), ({ name, length }) => `${name}[${index(n, depth - 1, length!)}]`),
    by(n.one('list'), ({ name }) => `(${name}[${int(n, depth - 1)}] ?? ${a()})`),
    by(
      n.one('list'),
      ({ name }) => `${name}.reduce((s, e) => ${d.of(['s + e', 'Math.max(s, e)', 's - e * 0.5'])}, ${a()})`,
    ),
    by(n.one('function'), ({ name }) => `${name}(${int(n, depth - 1)}, ${a()})`),
  ]);
};

export const truth = (n: Names, depth: number): string => {
  const { d } = n;
  const a = (): string => truth(n, depth - 1);
  const leaf = (): string =>
    d.chance(0.5)
      ? `${int(n, 0)} ${d.of(['<', '>=', '===', '!=='])} ${int(n, 0)}`
      : `${number(n, 0)} < ${number(n, 0)}`;
  return chosen(n, depth, () => `(${leaf()})`, [
    () => `(${a()} ${d.of(['&&', '||'])} ${a()})`,
    () => `!${a()}`,
    () => `(${int(n, depth - 1)} ${d.of(['===', '!==', '<', '>='])} ${int(n, depth - 1)})`,
    () => `(${number(n, depth - 1)} ${d.of(['<', '<=', '>', '>='])} ${number(n, depth - 1)})`,
    by(n.one('truth'), ({ name }) => name),
    by(n.one('text'), ({ name }) => `(${name} ${d.of(['===', '!=='])} ${text(n, depth - 1)})`),
    by(n.one('object'), ({ name }) => `(${name} ${d.of(['===', '!=='])} ${object(n, depth - 1)})`),
    by(n.one('maybe'), ({ name }) => `(${name} ${d.of(['===', '!=='])} null)`),
    by(n.one('list'), ({ name }) => `${name}.${d.of(['some', 'every'])}((e) => e > ${number(n, depth - 1)})`),
  ]);
};

export const object = (n: Names, depth: number): string => {
  const { d } = n;
  const leaf = (): string =>
    (d.chance(0.5) ? n.one('object')?.name : undefined) ?? `objects[${d.chance(0.5) ? d.int(4) : index(n, depth, 4)}]`;
  return chosen(n, depth, leaf, [
    () => `(${truth(n, depth - 1)} ? ${object(n, depth - 1)} : ${object(n, depth - 1)})`,
    () => `${object(n, depth - 1)}.next`,
    () => `(objects.find((o) => o.v > ${number(n, depth - 1)}) ?? ${object(n, depth - 1)})`,
  ]);
};

export const text = (n: Names, depth: number): string => {
  const { d } = n;
  const leaf = (): string =>
    (d.chance(0.4) ? n.one('text')?.name : undefined) ??
    d.of(["'a'", "'bc'", "'def'", `objects[${index(n, Math.max(0, depth), 4)}].name`]);
  return chosen(n, depth, leaf, [() => `(${truth(n, depth - 1)} ? ${text(n, depth - 1)} : ${text(n, depth - 1)})`]);
};

/** An index of a list of so many items, a power of two. */
export const index = (n: Names, depth: number, length: number): string => `${int(n, depth)} & ${length - 1}`;

/** What is assigned to a variable of a kind, kept small where it is a number. */
export const assigned = (n: Names, kind: Kind): string => {
  switch (kind) {
    case 'int':
      return `(${int(n, 2)}) & 255`;
    case 'number':
      return n.d.chance(0.5) ? `(${number(n, 2)}) % 64` : `Math.max(-64, Math.min(64, ${number(n, 2)}))`;
    case 'truth':
      return truth(n, 2);
    case 'text':
      return text(n, 2);
    default:
      return object(n, 2);
  }
};

/** A number that says what a name stands for in the end. */
export const summary = ({ name, kind }: Name): string => {
  switch (kind) {
    case 'truth':
      return `(${name} ? 1 : 0)`;
    case 'object':
      return `${name}.v`;
    case 'text':
      return `${name}.length`;
    case 'maybe':
      return `(${name} ? ${name}.w : -1)`;
    case 'list':
      return `${name}.reduce((s, e) => 0.5 * s + e, 0)`;
    case 'record':
      return `(${name}.p + 2 * ${name}.q)`;
    case 'records':
      return `${name}.reduce((s, e) => 0.5 * s + e.p - e.q, 0)`;
    case 'function':
      return '0';
    default:
      return name;
  }
};
