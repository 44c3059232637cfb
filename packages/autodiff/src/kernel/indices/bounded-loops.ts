import { Builder, highestId, idsFrom, opWith, useCounts, walk, type Kernel, type Op, type OpTable, type Region, type Value } from '@filigree/ir'; // prettier-ignore
import type { Layout } from '@filigree/sparse/fields';
import { formSum, integerForms, single, type IntegerForms } from './integer-forms.js';

/**
 * Parallel loops that count up to a number which is not known, such as an argument, end where all that their iterations change lies beyond the ends of fields: what is written there is dropped. So `a[p]`, and
 * `b[4 * p + k]` for `k` from 0 to 3, are certainly within their fields, and there are only so many iterations.
 */
export const boundedLoops = (kernel: Kernel, table: OpTable, layout: Layout): Kernel => {
  const forms = integerForms(kernel, layout);
  const used = useCounts(kernel.body);
  const b = new Builder(table, new Map(), idsFrom(highestId(kernel) + 1));
  const within = (region: Region): Region => {
    let isNew = false;
    const ops = region.ops.flatMap((op): readonly Op[] => {
      const end =
        op.name === 'scf.for' && op.attrs.parallel === true ? endOf(op, { forms, used, table, layout }) : undefined;
      const regions = op.regions.map(within);
      if (end === undefined && regions.every((r, n) => r === op.regions[n])) return [op];
      isNew = true;
      if (end === undefined) return [opWith(op, { regions })];
      const [from, to, step] = op.operands;
      return b.collect(() => {
        b.loc = op.loc;
        b.append(opWith(op, { operands: [from, b.min(to, b.i32(end)), step], regions }));
      }).ops;
    });
    return isNew ? { params: region.params, ops } : region;
  };
  const body = within(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
};

interface Setting {
  readonly forms: IntegerForms;
  readonly used: ReadonlyMap<number, number>;
  readonly table: OpTable;
  readonly layout: Layout;
}

/** The number from which on iterations of a loop change nothing; nothing where it ends before anyway, or where there is none. */
const endOf = (loop: Op, s: Setting): number | undefined => {
  const [counter] = loop.regions[0].params;
  if (loop.operands.length > 3 || counter.type !== 'i32' || Number.isFinite(s.forms.liesIn(counter)[1]))
    return undefined;
  let end = 0;
  walk(loop.regions[0], (op) => {
    if (
      op.regions.length > 0 ||
      s.table
        .get(op.name)!
        .effects(op)
        .every(({ kind }) => kind === 'read')
    )
      return;
    end = Math.max(end, endOfWrite(op, counter, s) ?? Infinity);
  });
  return Number.isFinite(end) ? end : undefined;
};

/** The number from which on an op writes beyond the end of its field. */
const endOfWrite = (op: Op, counter: Value, { forms, used, layout }: Setting): number | undefined => {
  const isWrite = op.name === 'field.store' || (op.name === 'field.atomic' && !used.has(op.results[0].id));
  const placed = isWrite ? layout.fields.get(String(op.attrs.field)) : undefined;
  if (!placed || placed.unbounded) return undefined;
  const ends = op.operands.slice(1).flatMap((v, axis) => {
    const form = forms.formOf(v);
    const times = form.terms.get(counter.id) ?? 0;
    const [least] = forms.spanOf(formSum(form, single(counter.id), -times));
    return times > 0 && Number.isFinite(least) ? [Math.ceil((placed.extents[axis] - least) / times)] : [];
  });
  return ends.length > 0 ? Math.max(0, Math.min(...ends)) : undefined;
};
