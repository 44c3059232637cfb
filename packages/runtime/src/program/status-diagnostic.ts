import { AXIS_NAMES, error, type Diagnostic } from '@filigree/ir';
import {
  axesOf,
  givenOf,
  nodeText,
  poolsAround,
  RESERVED_CELLS,
  STATUS,
  type Site,
  type SNode,
  type Storage,
} from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';

/** What a kernel left in the status words, in words. Loaded where a kernel may leave something. */
export const statusDiagnostic = (
  arena: Arena,
  site: Site | undefined,
  kernel: string,
  [what, , ...words]: Int32Array,
): Diagnostic => {
  const { layout } = arena.storage;
  const node = layout.nodes[site?.node ?? 0];
  const place = (n: SNode): string => `[${words.slice(0, axesOf(layout, n.id).length).join(', ')}]`;
  const doing = `in kernel '${kernel}', where ${subject(arena.storage, node)} is ${participle[site?.access ?? ''] ?? 'used'}`;
  const at = { loc: site?.loc };
  if (what === STATUS.outOfBounds)
    return error('launch/out-of-bounds', `index ${place(node)} is outside ${subject(arena.storage, node)}, ${doing}`, {
      ...at,
      remedy: `keep indices ${boundsText(arena.storage, node)}, or make the layout larger`,
    });
  if (what === STATUS.listFull) {
    const list = listOf(arena.storage, node);
    return error('launch/list-full', `a list ${nodeText(list)} is full, ${doing}`, {
      ...at,
      remedy: 'make the list longer in the layout, or clear it before',
    });
  }
  if (what === STATUS.exhausted) {
    const pool = fullPool(arena, node);
    return error(
      'launch/exhausted',
      `all ${arena.storage.nodes[pool.id].pool!.capacity - RESERVED_CELLS} cells of ${nodeText(pool)} are in use, ${doing}`,
      { ...at, remedy: 'let the node have more `cells`, or the program a larger `budget`; what found no room is lost' },
    );
  }
  if (what === STATUS.overflow)
    return error(
      'launch/overflow',
      `${calculation(site?.access ?? '', words)}, ${within(arena.storage, kernel, node)}`,
      {
        ...at,
        remedy: 'use i64 or a float, or where it is meant to wrap `(a + b) | 0`, Math.imul or u32',
      },
    );
  if (what === STATUS.division)
    return error('launch/division', `an integer is divided by zero, ${within(arena.storage, kernel, node)}`, {
      ...at,
      remedy: 'test the divisor before',
    });
  if (what === STATUS.promise && site?.access.endsWith(' index')) {
    const length = words[1] + words[3];
    return error('launch/out-of-bounds', `index ${words[0]} is outside an array of ${length}, in kernel '${kernel}'`, {
      ...at,
      remedy: length > 0 ? `keep it from 0 to ${length - 1}` : 'give an array with elements',
    });
  }
  if (what === STATUS.beyondList) {
    const [length, ...index] = words;
    const list = listOf(arena.storage, node);
    const where = `[${index.slice(0, axesOf(layout, node.id).length).join(', ')}]`;
    return error('launch/out-of-bounds', `index ${where} is beyond the end of its list of ${length}, ${doing}`, {
      ...at,
      remedy: `keep ${AXIS_NAMES[list.axes[0]]} below the length of the list`,
    });
  }
  if (what === STATUS.promise && site?.access.endsWith(' step'))
    return error('launch/step', `a loop has the step ${words[0]}, in kernel '${kernel}': it runs no iteration`, {
      ...at,
      remedy: 'let steps be positive: count upwards and subtract',
    });
  if (what === STATUS.promise)
    return error(
      'launch/promise',
      `${words[0]} is not from ${words[1]} + ${words[2]} to below ${words[1]} + ${words[3]}, in kernel '${kernel}'`,
      { ...at, remedy: 'give assumeInRange bounds that hold' },
    );
  return error('launch/status', `something went wrong (status ${what}), ${doing}`, at);
};

/** What does not fit, from the access of its site and its operands. */
const calculation = (access: string, words: readonly number[]): string => {
  const [op, type] = access.split(' ');
  const wide = type === 'i64';
  const operand = (n: number): string =>
    String(wide ? (BigInt(words[2 * n + 1]) << 32n) | BigInt(words[2 * n] >>> 0) : words[n]);
  const sign = signs[op] ?? '+';
  const second = operand(1);
  const text =
    op === 'arith.neg'
      ? `-(${operand(0)})`
      : `${operand(0)} ${sign} ${second.startsWith('-') ? `(${second})` : second}`;
  return `${text} does not fit ${type}`;
};

const signs: Readonly<Record<string, string>> = { 'arith.sub': '-', 'arith.mul': '*', 'arith.div': '/' };

/** Where an overflow was: with the field that was to take the result, if that is known. */
const within = (storage: Storage, kernel: string, node: SNode): string =>
  node.field ? `in kernel '${kernel}', on the way into ${subject(storage, node)}` : `in kernel '${kernel}'`;

/** A field by its name; of a node also a field that it holds. */
const subject = ({ layout }: Storage, node: SNode): string => {
  if (node.field) return `field '${node.field.name}'`;
  const field = [...layout.fields.values()].find(({ path }) => path.includes(node.id));
  return `${nodeText(node)} of field '${field?.field.name}'`;
};

const participle: Readonly<Record<string, string>> = {
  'field.load': 'read',
  'field.store': 'written',
  'field.store_word': 'written',
  'field.atomic': 'accumulated',
  'field.append': 'appended to',
  'field.activate': 'activated',
  'field.deactivate': 'deactivated',
  'field.is_active': 'looked at',
  'field.length': 'measured',
  'field.clear': 'cleared',
};

const boundsText = ({ layout }: Storage, node: SNode): string => {
  const axes = axesOf(layout, node.id);
  const ids: number[] = [];
  for (let at = node.id; at > 0; at = layout.nodes[at].parent) ids.push(at);
  return axes
    .map((axis) => {
      const name = AXIS_NAMES[axis];
      const free = ids.some((n) => layout.nodes[n].kind === 'hash' && layout.nodes[n].axes.includes(axis));
      const extent = ids.reduce((product, n) => product * layout.nodes[n].extents[axis], 1);
      return free ? `${name} anywhere` : `${name} from 0 to ${extent - 1}`;
    })
    .join(', ');
};

const listOf = ({ layout }: Storage, node: SNode): SNode => {
  for (let at = node; at.parent >= 0; at = layout.nodes[at.parent]) if (at.kind === 'dynamic') return at;
  return node;
};

/** The outermost pool around a node that has no cell left. */
const fullPool = ({ storage, words, mirrored }: Arena, node: SNode): SNode => {
  mirrored?.look({ writes: false });
  const around = poolsAround(storage, node.id);
  const full = around.find((n) => {
    const pool = storage.nodes[n].pool!;
    const { turns, left } = givenOf(words, pool);
    return left.length === 0 && words[pool.used / 4] - words[pool.freeCount / 4] + turns >= pool.capacity;
  });
  return storage.layout.nodes[full ?? around[around.length - 1]];
};
