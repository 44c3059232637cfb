import type { LifeRule } from './rule.js';

/** The same game without any of ours: the numbers of living cells, row by row, on a square beyond which there are none. */
export interface PlainLife {
  readonly size: number;
  readonly living: ReadonlySet<number>;
}

/** The next generation: by counting what lies around each cell that lives or, where many do, around every cell. */
export const plainStep = (life: PlainLife, rule: LifeRule): PlainLife =>
  isFull(life) ? ofAll(life, rule) : ofLiving(life, rule);

/** About how many cells a step looks at. */
export const plainWork = (life: PlainLife): number => (isFull(life) ? life.size ** 2 : 9 * life.living.size);

const isFull = ({ size, living }: PlainLife): boolean => living.size > size ** 2 / 64;

const ofLiving = ({ size, living }: PlainLife, { birth, survival }: LifeRule): PlainLife => {
  const counts = new Map<number, number>();
  for (const cell of living) {
    const y = Math.floor(cell / size);
    const x = cell - y * size;
    for (let b = Math.max(0, y - 1); b <= Math.min(size - 1, y + 1); b++)
      for (let a = Math.max(0, x - 1); a <= Math.min(size - 1, x + 1); a++) {
        const other = b * size + a;
        if (other !== cell) counts.set(other, (counts.get(other) ?? 0) + 1);
      }
  }
  const next = new Set<number>();
  for (const [cell, count] of counts) if ((living.has(cell) ? survival : birth).includes(count)) next.add(cell);
  if (survival.includes(0)) for (const cell of living) if (!counts.has(cell)) next.add(cell);
  return { size, living: next };
};

const ofAll = ({ size, living }: PlainLife, { birth, survival }: LifeRule): PlainLife => {
  const wide = size + 2;
  const cells = new Uint8Array(wide * wide);
  for (const cell of living) cells[(Math.floor(cell / size) + 1) * wide + (cell % size) + 1] = 1;
  const around = [-wide - 1, -wide, -wide + 1, -1, 1, wide - 1, wide, wide + 1];
  const next = new Set<number>();
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const at = (y + 1) * wide + x + 1;
      let count = 0;
      for (const by of around) count += cells[at + by];
      if ((cells[at] === 1 ? survival : birth).includes(count)) next.add(y * size + x);
    }
  return { size, living: next };
};
