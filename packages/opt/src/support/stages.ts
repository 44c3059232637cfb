import { makeOp, type Buffer, type Builder, type ScalarType, type Value } from '@filigree/ir';

/** Arrays of the chunks of a module. */
export interface Stages {
  readonly all: Buffer[];
  /** One for elements of a type, by its name; those that an earlier loop took are taken again. */
  readonly take: (type: ScalarType, nth: number) => string;
}

export const stagesBeside = (buffers: readonly Buffer[], length: number): Stages => {
  const taken = new Set(buffers.map((b) => b.name));
  const all: Buffer[] = [];
  const names = new Map<string, string>();
  const take = (type: ScalarType, nth: number): string => {
    const known = names.get(`${type} ${nth}`);
    if (known !== undefined) return known;
    let n = all.length;
    while (taken.has(`stage${n}`)) n++;
    const name = `stage${n}`;
    taken.add(name);
    names.set(`${type} ${nth}`, name);
    all.push({ name, type, length, role: 'scratch' });
    return name;
  };
  return { all, take };
};

/** Appends what reads an element of an array of a chunk. */
export const fromStage = (b: Builder, stage: string, type: ScalarType, at: Value): Value =>
  b.append(makeOp('mem.load', [at], [b.newValue(type)], { buffer: `@${stage}` }, [], b.loc))[0]!;

/** Appends what writes it. */
export const toStage = (b: Builder, stage: string, value: Value, at: Value): void =>
  void b.append(makeOp('mem.store', [value, at], [], { buffer: `@${stage}` }, [], b.loc));
