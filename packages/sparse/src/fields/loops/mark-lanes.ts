import {
  definitions,
  isFloat,
  mapKernels,
  mapRegions,
  mapShared,
  opTable,
  option,
  opWith,
  pass,
  type Attrs,
  type Module,
  type Op,
  type OpTable,
  type OptionSpec,
  type Pass,
  type Region,
  type Scalar,
} from '@filigree/ir';
import { accumulatorsOf, tripCount } from '@filigree/opt';
import { fieldDialects } from '../access/dialects.js';
import type { Layout } from '../layout/layout.js';
import { areIterationsApart } from './apart.js';
import { goesAlongRows } from './along-rows.js';

export interface MarkLanesOptions {
  /** Whether floats may be added up in another order; default false. */
  readonly sums?: boolean;
}

/** What `markLanes` takes. */
export const markLanesSpec: OptionSpec<MarkLanesOptions> = { sums: option.truth };

/**
 * Says of innermost loops that run one iteration after the other, and of those around that go along rows, that these may be lanes: what an iteration writes are elements that it alone reads and writes, since
 * coordinates that all of a field's accesses share tell which iteration it is, and what it carries is added up, or the least or greatest of all. Once fields lie in one arena compilers
 * cannot tell that any more; some put no loop on lanes at all that does not say so.
 */
export const markLanes = (layout: Layout, { sums = false }: MarkLanesOptions = {}): Pass<Module> => {
  const table = opTable(fieldDialects(layout));
  return pass('mark-lanes', (module) =>
    mapKernels(module, (kernel) => {
      const body = marked({ layout, table, sums, ops: definitions(kernel.body) }, kernel.body);
      return body === kernel.body ? kernel : { ...kernel, body };
    }),
  );
};

interface Context {
  readonly layout: Layout;
  readonly table: OpTable;
  readonly sums: boolean;
  readonly ops: ReadonlyMap<number, Op>;
}

const marked = (c: Context, region: Region): Region => {
  const ops = mapShared(region.ops, (op) => {
    const inner = mapRegions(op, (r) => marked(c, r));
    const attrs = attrsFor(c, inner);
    return attrs ? opWith(inner, { attrs: { ...inner.attrs, ...attrs } }) : inner;
  });
  return ops === region.ops ? region : { params: region.params, ops };
};

/** What a loop may say of itself. */
const attrsFor = (c: Context, loop: Op): Attrs | undefined => {
  if (loop.name === 'scf.for' && loop.attrs['parallel'] === true) return ofThreads(c, loop);
  if (loop.name !== 'scf.for' || SAID.some((name) => loop.attrs[name] !== undefined)) return undefined;
  if (loop.attrs['independent'] !== undefined && loop.results.length > 0) return undefined;
  const trips = tripCount(
    c.table.get(loop.name)?.control?.(loop)?.count,
    (v) => c.ops.get(v.id)?.attrs.value as Scalar,
  );
  if (trips !== undefined && trips < FEW) return undefined;
  const kinds = accumulatorsOf(loop);
  if (!kinds || !kinds.every((kind, k) => kind !== 'add' || c.sums || !isFloat(loop.results[k]!.type)))
    return undefined;
  const holds = holdsLoops(loop.regions[0]!);
  if ((holds && kinds.length > 0) || !areIterationsApart(c.layout, c.table, c.ops, loop)) return undefined;
  /* One around others that goes from row to row is no lanes, but may go in tiles. */
  return kinds.length > 0 || (holds && !goesAlongRows(c.layout, c.ops, loop)) ? { independent: true } : { simd: true };
};

const holdsLoops = ({ ops }: Region): boolean =>
  ops.some(({ name, regions }) => regions.length > 0 && (name !== 'scf.if' || regions.some(holdsLoops)));

/**
 * Iterations that threads take turns at may be lanes as well, but for those that are nothing but a loop of their own, unless this runs in turn and they go along rows: of sums down the columns,
 * `for (j of range(n)) for (i …) a[i][j] += a[i - 1][j]`, each column is a lane.
 */
const ofThreads = (c: Context, loop: Op): Attrs | undefined => {
  const { simd, lanes, team } = loop.attrs;
  if (simd !== undefined || lanes !== undefined || team !== undefined || loop.results.length > 0) return undefined;
  const { ops } = loop.regions[0]!;
  const isLoop = ops.some(({ regions }) => regions.length > 0) && !ops.some(({ name }) => name.startsWith('field.'));
  if (isLoop && (ops.some(takesLanes) || !goesAlongRows(c.layout, c.ops, loop))) return undefined;
  return areIterationsApart(c.layout, c.table, c.ops, loop) ? { simd: true } : undefined;
};

const takesLanes = ({ attrs }: Op): boolean => attrs['simd'] === true || attrs['independent'] === true;

const SAID = ['parallel', 'simd', 'lanes'];

/** So few iterations fill no vectors: compilers write them one after the other. */
const FEW = 8n;
