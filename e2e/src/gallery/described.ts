import type { Example } from 'filigree';

/** The headings of `filigree run --list`. */
export const GROUPS = {
  start: 'To begin with',
  matrices: 'Sparse matrices: one expression, compiled for its patterns',
  meshes: 'Meshes: code over triangles or tetrahedra, compiled for one mesh',
  fields: 'Simulations and pictures on sparse grids',
  simulators: 'Simulations that are optimised by their gradients',
  quant: 'Fields of few bits: the same kernels, in less memory',
  queued: 'Many small launches, planned together: the queue on or off',
  tensors: 'Small tensors: solvers for waves',
} as const;

/** How an example is listed: its group, what it shows, and the arguments it takes. */
export const described = (
  group: keyof typeof GROUPS,
  shows: string,
  takes: string,
): Pick<Example, 'group' | 'shows' | 'takes' | 'summary'> => ({
  group: GROUPS[group],
  shows,
  takes,
  summary: `${shows} (${takes})`,
});
