import type { Draw } from '../draw.js';
import type { FieldCode, LevelCode, TreeCode } from './code.js';
import { drawArrays, drawWords, type Placed } from './generate-formats.js';
import type { KernelChoice } from './generate.js';
import { isFloat, type ScalarType } from './scalars.js';
import { windowOf } from './state.js';
import { drawValue } from './values.js';

/** Two to three trees of one or two axes with one to three fields each, all kinds of nodes, and values to begin with. */
export const drawLayouts = (
  d: Draw,
  name: string,
  types: readonly ScalarType[],
  { few = false }: KernelChoice,
): readonly TreeCode[] => {
  let count = 0;
  const next = (): string => `${'uvwxyz'[count % 6]}${name}_${count++}`;
  return d.list(2, 3, () => (few ? drawFewBits : drawTree)(d, next, types));
};

const drawTree = (d: Draw, next: () => string, types: readonly ScalarType[]): TreeCode => {
  const axes = 1 + d.int(2);
  const levels = d.chance(0.12) ? listLevels(d, axes) : arrayLevels(d, axes);
  const bare: TreeCode = { axes, levels, fields: [] };
  return { axes, levels, fields: d.list(1, 3, () => drawField(d, next(), d.of(types), bare)) };
};

const drawFewBits = (d: Draw, next: () => string, types: readonly ScalarType[]): TreeCode => {
  const axes = 1 + d.int(2);
  const made = (levels: readonly LevelCode[], fields: readonly Placed[]): TreeCode => {
    const bare: TreeCode = { axes, levels, fields: [] };
    return {
      ...bare,
      fields: fields.map(({ type, stored }) => {
        const plain = drawField(d, next(), type, bare);
        /* An ambient value that is to be rounded. */
        return stored ? { ...plain, stored, ambient: isFloat(type) ? plain.ambient * 1.1 : plain.ambient } : plain;
      }),
    };
  };
  if (d.chance(0.3)) {
    const { level, fields } = drawArrays(d, axes, types);
    /* Rows as long as lanes want, for arrays along them. */
    const above =
      axes === 2 && level.axes.length === 1 && d.chance(0.5)
        ? wideLevels(d).slice(0, 1)
        : arrayLevels(d, axes).slice(0, 2);
    return made([...above, level], fields);
  }
  const levels = d.chance(0.12) ? listLevels(d, axes) : arrayLevels(d, axes);
  return made(levels, drawWords(d, types, next()));
};

const listLevels = (d: Draw, axes: number): readonly LevelCode[] => {
  const list: LevelCode = { kind: 'dynamic', axes: [axes - 1], extents: [3 + d.int(12)] };
  return axes === 1
    ? [list]
    : [{ kind: d.of(['dense', 'pointer'] as const), axes: [0], extents: [2 + d.int(4)] }, list];
};

const arrayLevels = (d: Draw, axes: number): readonly LevelCode[] => {
  if (axes === 2 && d.chance(0.15)) return wideLevels(d);
  const all = Array.from({ length: axes }, (_, a) => a);
  const depth = d.of([1, 1, 2, 2, 3]);
  return Array.from({ length: depth }, (_, n): LevelCode => {
    const kind = d.of(
      n === 0 && depth > 1
        ? (['dense', 'pointer', 'bitmasked', 'hash', 'hash'] as const)
        : n === depth - 1
          ? (['dense', 'dense', 'bitmasked', 'morton', 'pointer'] as const)
          : (['dense', 'pointer', 'bitmasked', 'morton'] as const),
    );
    /* One side a level is 1, 2, 3, 4 or more, so that a whole layout has some hundred elements. */
    const most = axes === 1 ? (depth === 1 ? 30 : depth === 2 ? 7 : 4) : depth === 1 ? 7 : depth === 2 ? 4 : 2;
    const side = 1 + d.int(most);
    const square = 2 ** d.int(axes === 1 ? 3 : 2);
    return {
      kind,
      axes: all,
      extents:
        kind === 'hash'
          ? all.map(() => 1)
          : all.map(() => (kind === 'morton' ? square : d.chance(0.7) ? side : 1 + d.int(most))),
    };
  });
};

/** Rows that fill vectors, and give each thread of a team something to do, and as many of them as a loop of its own takes. */
const wideLevels = (d: Draw): readonly LevelCode[] => {
  const rows: LevelCode = { kind: 'dense', axes: [0], extents: [16 + d.int(6)] };
  const kind = d.of(['dense', 'bitmasked', 'pointer'] as const);
  const row: LevelCode = { kind, axes: [1], extents: [24 + d.int(12)] };
  return d.chance(0.5) ? [rows, row] : [{ ...rows, axes: [0, 1], extents: [rows.extents[0], row.extents[0]] }];
};

const drawField = (d: Draw, name: string, type: ScalarType, tree: TreeCode): FieldCode => {
  const window = windowOf(tree);
  const start = new Map<string, readonly [readonly number[], FieldCode['start'][number][1]]>();
  const elements = window.reduce((n, [from, to]) => n * (to - from), 1);
  const isList = tree.levels.some((l) => l.kind === 'dynamic');
  for (let n = d.int(Math.min(12, elements) + 1); n > 0; n--) {
    const at = window.map(([from, to]) => from + d.int(to - from));
    start.set(String(at), [at, drawValue(d, type)]);
  }
  const ambient = d.chance(0.3) ? d.int(5) + (type.startsWith('u') ? 0 : -2) : 0;
  const values = [...start.values()];
  return { name, type, ambient, start: isList ? values.slice(0, 2) : values };
};
