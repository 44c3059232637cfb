import { byteSize } from '@filigree/ir';
import { entriesOf } from './entries.js';
import type { GemmSpec, GemmTarget } from '../gemm-spec.js';
import { rowPieces } from './row-pieces.js';
import { LATENCY } from './tile-sums.js';
import { runsOf, tilesOf } from './tiles.js';
import type { DeepLanes, GemmPlan } from './gemm-plan.js';

/**
 * Plans whose vectors lie along k: of dense matrices of which A goes on by rows and B by columns, as in a product with a transposed matrix, a
 * scalar product, or that of a row and a matrix. Each sum of a tile is a vector, of which the lanes are added up in the end.
 */
export const deepPlans = (spec: GemmSpec, target: GemmTarget): readonly GemmPlan[] => {
  const { m, n, k, a, b, alpha } = spec;
  const lanes = target.vectorBytes / byteSize(spec.type);
  if (a.kind === 'sparse' || b.kind === 'sparse' || a.columnStride !== 1 || b.rowStride !== 1) return [];
  if (k < lanes || spec.mPadded !== undefined) return [];
  const registers = target.registers - (target.registers > 16 ? 2 : 0) - (alpha === 1 || alpha === -1 ? 0 : 1);
  const base = {
    spec,
    swapped: false,
    pieces: rowPieces(m, 1, m, false),
    a: entriesOf(a, m),
    b: entriesOf(b, k),
    gathers: false,
    panel: false,
    looped: false as const,
    unrolledK: k,
    chains: () => 1,
    multiplyAdds: m * n * k,
  };
  const plans: GemmPlan[] = [];
  for (let height = 1; height <= Math.min(m, MOST); height++)
    for (let width = 1; width <= Math.min(n, MOST); width++) {
      const sums = height * width;
      const left = registers - sums - Math.min(height, width) - 1;
      if (left < 0) continue;
      const [rowTiles, columnTiles] = [tilesOf(range(m), height), tilesOf(range(n), width)];
      if (rowTiles[0].members.length < height || columnTiles[0].members.length < width) continue;
      /* Of two large matrices others copy parts, so that they lie near. */
      if (rowTiles.length > 1 && columnTiles.length > 1) continue;
      const wanted = Math.ceil((2 * LATENCY) / sums);
      const chains = Math.max(
        1,
        Math.min(4, wanted, 1 + Math.floor(left / sums), Math.floor(k / lanes), target.steps ?? 4),
      );
      const deep: DeepLanes = { lanes, chains, masked: target.masks };
      const { cycles, instructions } = tileWork(spec, height, width, deep);
      const [rows, columns] = [runsOf(rowTiles), runsOf(columnTiles)];
      plans.push({
        ...base,
        rows,
        columns,
        columnsInside: columnTiles.length > 1,
        deep,
        cycles: rowTiles.length * columnTiles.length * cycles,
        codeBytes: rows.length * columns.length * instructions * BYTES,
      });
    }
  return plans;
};

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** Most rows or columns of a tile: more than eight sums hide all latency. */
const MOST = 6;

/** Bytes of an instruction. */
const BYTES = 6;

/** What a tile takes, as in `tile-work.ts`, and the instructions of its code. */
const tileWork = (
  { k, beta }: GemmSpec,
  height: number,
  width: number,
  { lanes, chains, masked }: DeepLanes,
): { readonly cycles: number; readonly instructions: number } => {
  const sums = height * width;
  const rest = masked ? 0 : k % lanes;
  const steps = Math.floor(k / lanes) + (masked && k % lanes > 0 ? 1 : 0) + rest;
  /* A factor that is used once is an operand in memory, and takes no instruction of its own. */
  const loads = height + width;
  const own = Math.min(height, width) === 1 ? 1 : loads;
  const instructions = steps * (sums + own) + (steps / chains) * 2;
  const waits = ((LATENCY + 0.5) * steps) / chains / (1 + 180 / Math.max(1, instructions));
  const limits = [(steps * sums) / 2, (steps * loads) / 2, instructions / 5, waits];
  const most = Math.max(...limits);
  const others = limits.reduce((x, y) => x + y, -most);
  const halving = 2 * Math.log2(lanes) + (chains - 1);
  return {
    cycles: most + 0.1 * others + (1 + 0.6 * halving + 0.3 * beta) * sums + 8,
    instructions: chains * (sums + own) + rest * (sums + loads) + (2 * halving + 3) * sums + 12,
  };
};
