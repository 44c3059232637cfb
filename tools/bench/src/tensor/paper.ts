/** What the paper measured on two sockets of Skylake (SKX, appendix A), 48 cores: 10⁹ operations a second and 10⁶ degrees of freedom a second. */
export interface PaperRow {
  readonly mdofs: number;
  readonly nonzero: number;
  readonly hardware: number;
}

/** Peaks that the paper compares with, in GFLOP/s: 48 cores at 2.7 GHz. */
export const PAPER_PEAK = { f64: 4147, f32: 8294 } as const;

/** By type, order and number of simulations. */
export const paperRow = (dtype: 'f32' | 'f64', order: number, simulations: number): PaperRow | undefined => {
  const row = SKX[dtype][order]?.[simulations];
  return row && { mdofs: row[0], nonzero: row[1], hardware: row[2] };
};

type Rows = Readonly<
  Record<number, Readonly<Record<number, readonly [mdofs: number, nonzero: number, hardware: number]>>>
>;

const SKX: Readonly<Record<'f32' | 'f64', Rows>> = {
  f64: {
    2: { 1: [427, 74, 339], 8: [1402, 243, 274], 16: [1609, 278, 318] },
    3: { 1: [696, 150, 457], 8: [1659, 353, 415], 16: [1788, 380, 462] },
    4: { 1: [1043, 294, 992], 8: [1770, 499, 619], 16: [1827, 514, 669] },
    5: { 1: [1199, 449, 1347], 8: [1807, 684, 887], 16: [1835, 694, 963] },
    6: { 1: [1244, 626, 1946], 8: [1784, 914, 1246], 16: [1766, 902, 1332] },
    7: { 1: [1024, 686, 2241], 8: [1707, 1142, 1495], 16: [1614, 1103, 1722] },
  },
  f32: {
    2: { 1: [530, 92, 840], 16: [2939, 508, 584], 32: [3300, 570, 653] },
    3: { 1: [1344, 290, 1521], 16: [3377, 718, 877], 32: [3619, 769, 935] },
    4: { 1: [1542, 434, 1714], 16: [3565, 1003, 1306], 32: [3687, 1037, 1343] },
    5: { 1: [1877, 703, 2474], 16: [3655, 1382, 1918], 32: [3712, 1402, 1937] },
    6: { 1: [1982, 997, 3845], 16: [3600, 1840, 2729], 32: [3544, 1809, 2660] },
    7: { 1: [1802, 1206, 4321], 16: [3275, 2237, 3493], 32: [3206, 2187, 3389] },
  },
};
