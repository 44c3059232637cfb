import type { Derivative, DerivativeTable } from './derivative.js';

const structure = (how: string): Derivative => ({ is: 'structure', how });
const zero = (why: string): Derivative => ({ is: 'zero', why });
const refused = (why: string, remedy: string): Derivative => ({ is: 'refused', why, remedy });
const each = (names: string, row: Derivative): DerivativeTable =>
  Object.fromEntries(names.split(' ').map((name) => [name, row]));

const control = structure('control flow is followed: branches stay branches, loops run backwards, or with tangents');
const element = structure('what is done to an element is done to its tangent, and undone to its adjoint');
const cleared = structure(
  'tangents that lie in the same cells are cleared with them; adjoints become zero, since what was there is gone',
);

/** Rows of ops that do not compute: control flow, memory and fields. Those that are about lanes or addresses are refused. */
export const structures: DerivativeTable = {
  ...each('scf.for scf.if scf.while scf.yield scf.condition field.for', control),
  ...each('mem.load mem.store mem.atomic field.load field.store field.store_word field.atomic', element),
  'derivative.given': structure('its region tells'),
  ...each('field.deactivate field.clear field.clear_all', cleared),
  ...each(
    'field.is_active field.length field.append field.activate field.list field.assume_in_range',
    zero('it is about which cells there are, which does not change by a little'),
  ),
  ...each('mem.prefetch mem.reload mem.fence mem.worker', zero('it changes no number')),
  ...each(
    'mem.loadFirst mem.storeFirst mem.gather mem.scatter',
    refused('it works on lanes of a vector', 'take derivatives first, and put the kernel on lanes after'),
  ),
  'mem.cas': refused(
    'it writes where something is found, and which iteration does is not known',
    'use an atomic update: atomicAdd, atomicMin, atomicMax',
  ),
  ...each(
    [
      'snode.index snode.clamp snode.extract snode.inside snode.linearize snode.root snode.child snode.lookup snode.lookup_all',
      'snode.prefetch snode.offset snode.is_active snode.append snode.length snode.deactivate snode.clear snode.assume_active',
      'snode.load snode.store snode.store_word snode.atomic snode.check_list snode.check',
    ].join(' '),
    refused('it works on addresses', 'take derivatives before fields are lowered to memory'),
  ),
  'linalg.gemm': refused(
    'it is a product of matrices as a whole',
    'lower it to loops first, or differentiate the contraction that it comes from',
  ),
};
