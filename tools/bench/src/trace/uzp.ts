/**
 * A newer format on the same idea, measured once beside the kernels of this repository: it is not part of it, so these are data.
 * Its tools are public; what was done with them is said in full, so that it can be done again.
 */
export const UZP = {
  name: 'UZP (G. Rodríguez, L.-N. Pouchet et al., *Modular Construction and Optimization of the UZP Sparse Format for SpMV on CPUs*, PLDI 2025)',
  source: 'github.com/UDC-GAC/uzp-sparse-format, revision 7753823, with forcegk/z_polyhedrator',
  machine: 'AMD EPYC, one thread of a machine with 2 cores, L1d 32 KiB, L2 512 KiB; g++ 12.2.0',
  /**
   * Microseconds of y = A·x in f64, least of 80 samples of 0.25 ms each, in turns in one process: the loop of Figure 1a, that
   * format, and the chosen kernel.
   */
  times: [
    { matrix: 'nos1', plain: 0.68, uzp: 0.39, ours: 0.14 },
    { matrix: 'bcsstm09', plain: 1.07, uzp: 0.14, ours: 0.18 },
    { matrix: '685_bus', plain: 2.07, uzp: 3.51, ours: 1.21 },
    { matrix: 'bp_0', plain: 2.34, uzp: 3.31, ours: 1.28 },
    { matrix: 'west0989', plain: 2.43, uzp: 3.22, ours: 1.15 },
    { matrix: 'sherman1', plain: 2.52, uzp: 2.22, ours: 0.92 },
    { matrix: 'jagmesh1', plain: 4.02, uzp: 4.53, ours: 1.32 },
    { matrix: 'orsirr_1', plain: 4.35, uzp: 3.57, ours: 1.49 },
    { matrix: 'gr_30_30', plain: 4.67, uzp: 2.3, ours: 0.86 },
    { matrix: 'can_1072', plain: 7.77, uzp: 12.62, ours: 4.99 },
    { matrix: 'bcsstm25', plain: 15.95, uzp: 3.7, ours: 3.98 },
    { matrix: 'nos3', plain: 9.19, uzp: 7.7, ours: 2.43 },
    { matrix: 'bcsstm27', plain: 47.53, uzp: 35.73, ours: 10.0 },
    { matrix: 'bcsstk16', plain: 199.65, uzp: 201.25, ours: 54.55 },
  ],
  how: [
    'Its miner searched each matrix for the patterns of its file `patterns.txt` (PatternFirst); each was taken as mined and as its tuner merges it (mode 1, 1024 points), whichever ran faster.',
    'Its executor was compiled with -O3 -march=native (for the first four matrices also with the flags of its Makefile and with -ffast-math, whichever ran faster), with the shapes of each matrix written out in the form of its sample header and their loops unrolled, and without the line that it prints at every call. It adds to y, where the other two set it.',
    'Every result was checked. These times are not those of the tables above: they were measured by themselves, and the least of many samples rather than the median.',
  ],
} as const;
