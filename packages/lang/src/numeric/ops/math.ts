import { failAt, placed, type Site } from '../../source/place.js';
import { isPrimitive, type Fn1, type Fn2, type Symbols, type Value } from './symbols.js';
import { binaryMath, unaryMath, type BinaryMath, type UnaryMath } from './math-functions.js';

/** The functions of `Math`: `math_sqrt` and the like where one is called by name, and all of them as values. */
export const bindMath = ({ ops, source, isSymbolic, at, nonNumeric }: Symbols) => {
  const mathOf = (name: string, given: readonly unknown[], site: Site): Value => {
    const f = (Math as unknown as Record<string, unknown>)[name];
    /* As a callback of `map` a function is given more than it takes. */
    const args = typeof f === 'function' && !variadic.has(name) ? given.slice(0, f.length) : given;
    if (typeof f !== 'function' || !args.some((x) => typeof x !== 'number'))
      return Reflect.apply(f as () => unknown, Math, args);
    for (const x of args) if (!isPrimitive(x) && !isSymbolic(x)) nonNumeric(`Math.${name}`, x, site);
    if (!args.some(isSymbolic)) return Reflect.apply(f as () => unknown, Math, args);
    for (const x of args) if (typeof x === 'string' || typeof x === 'bigint') nonNumeric(`Math.${name}`, x, site);
    return at(site, () => symbolicMathOf(name, args, site));
  };
  const symbolicMathOf = (name: string, args: readonly Value[], site: Site): Value => {
    if (isUnary(name))
      return isSymbolic(args[0]) ? ops[name](args[0]) : (Math[name] as (x: unknown) => number)(args[0]);
    if (name === 'min' || name === 'max') return args.reduce((a, b) => ops[name](a, b));
    if (name === 'hypot') return args.length === 1 ? ops.abs(args[0]) : args.reduce((a, b) => ops.hypot(a, b));
    if ((name === 'pow' || name === 'atan2') && args.length >= 2) return ops[name](args[0], args[1]);
    return failAt(
      source,
      site,
      'lang/unsupported-math',
      `Math.${name} does not exist on symbolic values`,
      `express it by ${[...unaryMath, ...binaryMath].join(', ')}`,
    );
  };

  const math1 = (name: (typeof unaryMath)[number]): Fn1 => {
    const plain = Math[name];
    const symbolic = (a: Value, site: Site): Value => {
      try {
        return ops[name](a);
      } catch (e) {
        throw placed(source, site, e);
      }
    };
    return (a, site) =>
      typeof a === 'number' ? plain(a) : isSymbolic(a) ? symbolic(a, site) : mathOf(name, [a], site);
  };
  const math2 = (name: (typeof binaryMath)[number]): Fn2 => {
    const plain = Math[name] as (a: number, b: number) => number;
    return (a, b, site) => (typeof a === 'number' && typeof b === 'number' ? plain(a, b) : mathOf(name, [a, b], site));
  };
  /** `Math.name` as a value. */
  const mathFunction = (name: string, site: Site): unknown => {
    const member = (Math as unknown as Record<string, unknown>)[name];
    return typeof member === 'function' ? (...args: unknown[]) => mathOf(name, args, site) : member;
  };
  /** `Math` as a value. */
  const mathObject = (site: Site): object =>
    Object.fromEntries(Object.getOwnPropertyNames(Math).map((name) => [name, mathFunction(name, site)]));

  return {
    mathOf,
    mathFunction,
    mathObject,
    ...(Object.fromEntries(unaryMath.map((name) => [`math_${name}`, math1(name)])) as Record<`math_${UnaryMath}`, Fn1>),
    ...(Object.fromEntries(binaryMath.map((name) => [`math_${name}`, math2(name)])) as Record<
      `math_${BinaryMath}`,
      Fn2
    >),
  };
};

const variadic = new Set(['min', 'max', 'hypot']);

const isUnary = (name: string): name is (typeof unaryMath)[number] => (unaryMath as readonly string[]).includes(name);
