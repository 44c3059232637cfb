/**
 * A citation: times of a newer format on the same idea, which is no part of this repository and is not run by it. They were taken
 * once, on the day and machine named, beside the loop of Figure 1a in the same process, and hold for these alone; our own kernels
 * are never cited but measured with the page. The tools are public; what was done with them is said in full, so that it can be done again.
 */
export const UZP = {
  name: 'UZP (G. Rodríguez, L.-N. Pouchet et al., *Modular Construction and Optimization of the UZP Sparse Format for SpMV on CPUs*, PLDI 2025)',
  source: 'github.com/UDC-GAC/uzp-sparse-format, revision 7753823, with forcegk/z_polyhedrator',
  date: '2026-11-21',
  machine: 'AMD EPYC, one thread of a machine with 2 cores, L1d 32 KiB, L2 512 KiB; g++ 12.2.0',
  /**
   * Microseconds of y = A·x in f64, least of 80 samples of 0.25 ms each, in turns in one process: the loop of Figure 1a and that
   * format.
   */
  cited: [
    { matrix: 'nos1', plain: 0.65, uzp: 0.39 },
    { matrix: 'bcsstm09', plain: 1.05, uzp: 0.14 },
    { matrix: '685_bus', plain: 2.09, uzp: 3.42 },
    { matrix: 'bp_0', plain: 2.33, uzp: 3.29 },
    { matrix: 'west0989', plain: 2.4, uzp: 3.25 },
    { matrix: 'sherman1', plain: 2.54, uzp: 2.21 },
    { matrix: 'jagmesh1', plain: 4.03, uzp: 4.54 },
    { matrix: 'orsirr_1', plain: 4.34, uzp: 3.51 },
    { matrix: 'gr_30_30', plain: 4.66, uzp: 2.39 },
    { matrix: 'can_1072', plain: 7.81, uzp: 12.63 },
    { matrix: 'bcsstm25', plain: 15.97, uzp: 3.81 },
    { matrix: 'nos3', plain: 9.2, uzp: 7.74 },
    { matrix: 'bcsstm27', plain: 36.48, uzp: 30.23 },
    { matrix: 'bcsstk16', plain: 199.38, uzp: 202.31 },
  ],
  how: [
    'Its miner searched each matrix for the patterns of its file `patterns.txt` (PatternFirst); each was taken as mined and as its tuner merges it (mode 1, 1024 points; for nos1, nos3, jagmesh1 and 685_bus mode 2 after it, too), whichever ran faster. The miner was built with stand-ins for the libraries that it reads matrices with; what searches and writes is its own.',
    'Its executor was compiled with -O3 -march=native (for nos1, nos3, jagmesh1 and 685_bus also with the flags of its Makefile and with -ffast-math, whichever ran faster), with the shapes of each matrix written out in the form of its sample header and their loops unrolled, and without the line that it prints at every call. It adds to y, where the loop sets it.',
    'Every result was checked.',
  ],
} as const;
