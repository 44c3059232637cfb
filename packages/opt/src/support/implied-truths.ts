import type { Op, Value } from '@filigree/ir';

/** A truth value, and what it is known to be. */
export interface Truth {
  readonly value: Value;
  readonly holds: boolean;
}

/** A truth value that is what is said, and those of which it is made that then are known as well. */
export const impliedTruths = (
  condition: Value,
  is: boolean,
  definition: (v: Value) => Op | undefined,
): readonly Truth[] => {
  const truths: Truth[] = [];
  const isNot = (v: Value, truth: boolean): boolean => definition(v)?.attrs['value'] === !truth;
  /* Where one side is not what it came to, it was the other. A side may be the choice itself, as of `i >= 0 && x[i] > y`. */
  const holdSide = (choice: Value, sides: readonly Value[], truth: boolean): void => {
    const excluded = sides.findIndex((side, n) => (side.id === choice.id ? (n === 0) !== truth : isNot(side, truth)));
    if (excluded < 0) return;
    hold(choice, excluded === 1);
    hold(sides[1 - excluded]!, truth);
  };
  const hold = (value: Value, holds: boolean): void => {
    truths.push({ value, holds });
    const made = definition(value);
    if (made?.name === 'arith.not') hold(made.operands[0]!, !holds);
    else if (made?.name === (holds ? 'arith.and' : 'arith.or')) made.operands.forEach((o) => hold(o, holds));
    else if (made?.name === 'arith.select') {
      const [choice, ...sides] = made.operands as [Value, Value, Value];
      holdSide(choice, sides, holds);
    } else if (made?.name === 'scf.if') {
      const place = made.results.findIndex((result) => result.id === value.id);
      holdSide(
        made.operands[0]!,
        made.regions.map((r) => r.ops.at(-1)!.operands[place]!),
        holds,
      );
    }
  };
  hold(condition, is);
  return truths;
};
