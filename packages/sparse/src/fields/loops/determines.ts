import { freeValues, type Op, type Region, type Value, onceEach } from '@filigree/ir';

/**
 * Coordinates in the region of a loop as functions of one of its parameters, in words: `%3`, `+1 %3`, what is left of a number, `~7 %3`, `div 8 %3`, `rem 4 div 8 %3`; nothing
 * for what is no such function. Equal words are equal functions in every iteration.
 */
export const functionsIn = (
  region: Region,
  ops: ReadonlyMap<number, Op>,
): ((coordinate: Value) => string | undefined) => {
  const params = new Set(region.params.map((p) => p.id));
  const fixed = fixedIn(region, ops);
  const joined = (head: string, by: string | undefined, of: string | undefined): string | undefined =>
    by === undefined || of === undefined ? undefined : `${head}${by} ${of}`;
  const words = onceEach((v: Value): string | undefined => {
    if (params.has(v.id)) return `%${v.id}`;
    const op = ops.get(v.id);
    if (!op) return undefined;
    const [a, b] = op.operands;
    switch (op.name) {
      case 'arith.add':
        return joined('+', fixed(b), words(a)) ?? joined('+', fixed(a), words(b));
      case 'arith.sub':
        return joined('-', fixed(b), words(a)) ?? joined('~', fixed(a), words(b));
      /* Of loops that count down. */
      case 'arith.neg':
        return joined('~', '0', words(a));
      case 'arith.div':
      case 'arith.rem':
        return (numberOf(ops, b) ?? 0) > 0 ? joined(`${op.name.slice(6)} `, fixed(b), words(a)) : undefined;
      default:
        return undefined;
    }
  });
  return words;
};

/** What is the same in all iterations of the loop of a region, in words that are equal where it is equal; nothing for what may differ. What is computed is a number of its own, `=2`, as its words would be long. */
export const fixedIn = (region: Region, ops: ReadonlyMap<number, Op>): ((v: Value) => string | undefined) => {
  const outside = new Set(freeValues(region).map((v) => v.id));
  const computed = new Map<string, string>();
  const fixed = onceEach((v: Value): string | undefined => {
    const number = numberOf(ops, v);
    if (number !== undefined) return String(number);
    if (outside.has(v.id)) return `@${v.id}`;
    const op = ops.get(v.id);
    if (!op?.name.startsWith('arith.') || op.regions.length > 0 || op.operands.length === 0) return undefined;
    const parts = op.operands.map(fixed);
    if (parts.includes(undefined)) return undefined;
    const key = `${op.name}(${parts.join()})${JSON.stringify(op.attrs)}`;
    const word = computed.get(key) ?? `=${computed.size}`;
    computed.set(key, word);
    return word;
  });
  return fixed;
};

const numberOf = (ops: ReadonlyMap<number, Op>, v: Value): number | undefined => {
  const op = ops.get(v.id);
  return op?.name === 'arith.constant' && typeof op.attrs.value === 'number' ? op.attrs.value : undefined;
};

/**
 * Whether the values of functions tell a parameter: it is one of them, moved by something fixed, or its digits to one base are. Or,
 * where that is enough, to which `block` of values it belongs.
 */
export const determines = (functions: readonly string[], { id }: Value, block = 1): boolean =>
  tell(functions, `%${id}`) ||
  functions.some((f) => {
    const [, base, of] = unmoved(f).match(/^div (\S+) (.*)$/) ?? [];
    return of === `%${id}` && block % Number(base) === 0;
  });

/** What is known of a function divided by a number, rounded down: nothing unless it is a parameter, moved by multiples of the number. */
export const dividedBy = (by: number, f: string): string | undefined => {
  if (by === 1) return f;
  const of = unmoved(f);
  const moves = f.slice(0, f.length - of.length).match(/[+-]\S+/g) ?? [];
  if (!of.startsWith('%') || !moves.every((m) => Number(m) % by === 0)) return undefined;
  const moved = moves.reduce((sum, m) => sum + Number(m), 0) / by;
  return `${moved === 0 ? '' : `+${moved} `}div ${by} ${of}`;
};

const tell = (functions: readonly string[], wanted: string): boolean =>
  functions.some((f) => unturned(f) === wanted) ||
  functions.some((f) => {
    const [, base, of] = unmoved(f).match(/^rem (\S+) (.*)$/) ?? [];
    return base !== undefined && unmoved(of) === wanted && tell(functions, `div ${base} ${of}`);
  });

const unmoved = (f: string): string => f.replace(/^(?:[+-]\S+ )+/, '');

const unturned = (f: string): string => f.replace(/^(?:[+~-]\S+ )+/, '');
