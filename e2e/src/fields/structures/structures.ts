import {
  active,
  append,
  i32,
  kernel,
  length,
  range,
  vec,
  type Grid2,
  type Grid3,
  type Grid4,
  type KernelDef,
} from 'filigree';
import { dense, dynamic, field, hash, ij, ijk, k, l, layout, type Branch, type FieldDecl, type Layout } from 'filigree';

/** A data structure of the thesis, and kernels that count particles in it. */
export interface Structure {
  /** What it is for. */
  readonly summary: string;
  readonly layout: Layout;
  /** `pairs(n, shift)`: puts n particles where they belong, and gives the number of ordered pairs in one cell. */
  readonly kernels: { readonly pairs: KernelDef };
  /** The field whose elements the particles make active: how many are there, or of a list an element a particle. */
  readonly counted: FieldDecl;
  readonly isList: boolean;
  /** Whether coordinates below zero exist. */
  readonly unbounded: boolean;
}

export const STRUCTURE_NAMES = ['vdb', 'spgrid', 'hpb', 'spvdb', 'hleg'] as const;

export type StructureName = (typeof STRUCTURE_NAMES)[number];

/**
 * The five structures of Fig. 2-6 of the thesis. Where the figure has 512³ blocks in place, which SPGrid leaves to virtual
 * memory, here are 32³ and 16³.
 */
export const structures = (): Readonly<Record<StructureName, Structure>> => ({
  vdb: grid(
    'VDB: a hash table for an unbounded domain, tiles of pointers, blocks',
    true,
    hash(ijk, 32).dense(ijk, 16).pointer().dense(ijk, 8),
    ['u', 'v', 'w'],
  ),
  spgrid: grid(
    'SPGrid: shallow, a bit for each block, blocks along a space-filling curve',
    false,
    dense(ijk, 32).morton().bitmasked().dense(ijk, [8, 4, 4]),
    ['flags', 'u', 'v', 'w'],
  ),
  hpb: hierarchicalParticleBuckets(),
  spvdb: grid(
    'SPVDB: an unbounded SPGrid',
    true,
    hash(ijk, 512, { cells: 16 }).dense(ijk, 16).morton().bitmasked().dense(ijk, [8, 4, 4]),
    ['flags', 'u', 'v', 'w'],
  ),
  hleg: hybridGrid(),
});

/** Cell of a particle on a turning curve that passes most of its cells more than once. */
const cellOf = (p: number, shift: number) => {
  const [x, y] = [i32(Math.floor(40.5 + 30 * Math.cos(p * 0.05))), i32(Math.floor(40.5 + 22 * Math.sin(p * 0.1)))];
  return vec(x + shift, y + shift, x + shift);
};

/** What `pairs` must give for n particles, counted by a map. */
export const expectedPairs = (n: number): number => {
  const cells = new Map<string, number>();
  for (let p = 0; p < n; p++) {
    const cell = [...cellOf(p, 0)].join();
    cells.set(cell, (cells.get(cell) ?? 0) + 1);
  }
  return [...cells.values()].reduce((sum, count) => sum + count * count, 0);
};

/** The kernel of all grids: counts the particles of every cell. */
const count = (u: Grid3, n: number, shift: number) => {
  for (const p of range(n)) {
    const [x, y, z] = cellOf(p, shift);
    u[x][y][z] += 1;
  }
  let pairs = 0;
  for (const [x, y, z] of active(u)) pairs += u[x][y][z] * u[x][y][z];
  return pairs;
};

const grid = (summary: string, unbounded: boolean, branch: Branch, names: readonly string[]): Structure => {
  const fields = names.map((name) => field(name, 'i32'));
  const u = fields[names.indexOf('u')];
  const kernels = { pairs: kernel([u, 'i32', 'i32'], { float: 'f64', scope: { cellOf } }, count) };
  return { summary, layout: layout(branch.place(...fields)), kernels, counted: u, isList: false, unbounded };
};

/** Particles in one list, their numbers in the lists of the cells that they are in. */
const hierarchicalParticleBuckets = (): Structure => {
  const particles = ['x', 'y', 'z', 'mass'].map((name) => field(`particle_${name}`, 'f32'));
  const index = field('particle_index', 'i32');
  const buckets = hash(ijk, 512).dense(ijk, 32).pointer().dense(ijk, 8).pointer().dynamic(l, 2048);
  const pairs = kernel(
    [index, 'i32', 'i32'],
    { float: 'f64', scope: { cellOf } },
    (index: Grid4, n: number, shift: number) => {
      for (const p of range(n)) {
        const [x, y, z] = cellOf(p, shift);
        append(index[x][y][z], p);
      }
      let pairs = 0;
      for (const [x, y, z, _] of active(index)) pairs += length(index[x][y][z]);
      return pairs;
    },
  );
  return {
    summary: 'Hierarchical Particle Buckets: a list of particles in every cell that has some',
    layout: layout(dynamic(l, 2048).place(...particles), buckets.place(index)),
    kernels: { pairs },
    counted: index,
    isList: true,
    unbounded: true,
  };
};

/** Blocks that hold grid nodes and a list of the particles among them. */
const hybridGrid = (): Structure => {
  const nodes = ['grid_vx', 'grid_vy'].map((name) => field(name, 'i32'));
  const particles = ['x', 'y', 'vx', 'vy'].map((name) => field(`part_${name}`, 'i32'));
  const block = hash(ij, 8).dense(ij, [16, 8]).bitmasked();
  const pairs = kernel(
    [nodes[0], particles[0], 'i32', 'i32'],
    { float: 'f64', scope: { cellOf } },
    (node: Grid2, part: Grid3, n: number, shift: number) => {
      for (const p of range(n)) {
        const [x, y] = cellOf(p, shift);
        append(part[x >> 2][y >> 3], x);
        node[x][y] += 1;
      }
      let pairs = 0;
      for (const [x, y] of active(node)) pairs += node[x][y] * node[x][y];
      return pairs;
    },
  );
  return {
    summary: 'Hybrid Eulerian-Lagrangian Grid: blocks of grid nodes that hold their particles too',
    layout: layout(block.fork(dense(ij, [4, 8]).place(nodes[0]).place(nodes[1]), dynamic(k, 32).place(...particles))),
    kernels: { pairs },
    counted: nodes[0],
    isList: false,
    unbounded: true,
  };
};
