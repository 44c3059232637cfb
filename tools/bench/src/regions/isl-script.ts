import { forEachRun, type PointSet, type Regions } from '@filigree/sparse/equations';

type Variable = Regions['evaluation']['variables'][number];
type Term = Variable['terms'][number];
type Affine = Term['atoms'][number]['at'][number];

/**
 * The equations of evaluated regions as a script for `native/regions_isl.c`: the same terms of the same variables in the same
 * order, and then the regions of all statements. `counted` names what is to be counted afterwards.
 */
export const islScript = ({ solved, evaluation, statements }: Regions, counted: boolean): string => {
  const lines: string[] = [];
  const { variables, initial } = evaluation;
  const dimsOf = (k: number): number => solved.program.statements[k].iterators.length;
  const read = new Set(
    [...variables.flatMap((v) => v.terms), ...statements.flatMap((s) => s.terms)].flatMap((t) =>
      t.atoms.flatMap((a) => (typeof a.of === 'string' ? [a.of] : [])),
    ),
  );
  for (const name of read) for (const line of setLines(name, initial.get(name)!)) lines.push(line);
  lines.push('start');
  const term = (to: string, t: Term, dims: number, kept: readonly number[], recursive?: number): void => {
    lines.push(`term ${to} ${t.atoms.length}${recursive === undefined ? '' : ` ${recursive}`}`);
    const where = t.where.map((f) => `${affine(f)} >= 0`);
    const x = names(dims);
    for (const a of t.atoms) {
      const from = a.at.map((_, n) => `a${n}`);
      const conditions = [...a.at.map((f, n) => `a${n} = ${affine(f)}`), ...where].join(' and ');
      lines.push(
        typeof a.of === 'number' ? `V${a.of}` : a.of,
        `{ [${from.join()}] -> [${x.join()}] : ${conditions || '1 = 1'} }`,
      );
    }
    lines.push(`{ [${x.join()}] -> [${kept.map((d) => x[d]).join()}] : ${where.join(' and ') || '1 = 1'} }`);
  };
  for (const group of evaluation.components) {
    const recursive = (t: Term): number => t.atoms.findIndex((a) => typeof a.of === 'number' && group.includes(a.of));
    for (const k of group)
      for (const t of variables[k].terms) if (recursive(t) < 0) term(`V${k}`, t, dimsOf(k), variables[k].kept);
    const inside = group.flatMap((k) => variables[k].terms.filter((t) => recursive(t) >= 0).map((t) => ({ k, t })));
    if (inside.length === 0) continue;
    lines.push(`cycle ${group.length} ${inside.length}`, ...group.map((k) => `V${k}`));
    for (const { k, t } of inside) term(`V${k}`, t, dimsOf(k), variables[k].kept, recursive(t));
  }
  statements.forEach((s, k) => {
    /* A region that is the set of a variable is known already. */
    if (!isVariable(s, variables[k]))
      for (const t of s.terms)
        term(
          `R${k}`,
          t,
          dimsOf(k),
          names(dimsOf(k)).map((_, d) => d),
        );
  });
  lines.push('stop');
  if (counted) statements.forEach((s, k) => lines.push(`count ${isVariable(s, variables[k]) ? 'V' : 'R'}${k}`));
  return `${lines.join('\n')}\n`;
};

const isVariable = (s: Regions['statements'][number], v: Variable): boolean =>
  s.isValue && v.kept.length === s.iterators.length;

const names = (dims: number): string[] => Array.from({ length: dims }, (_, d) => `x${d}`);

const affine = (f: Affine): string =>
  [String(f.constant), ...f.coefs.flatMap((c, d) => (c === 0 ? [] : [`${c}*x${d}`]))].join(' + ');

const setLines = (name: string, set: PointSet): string[] => {
  const { extent, lower, strides, size } = set.box;
  if (set.count === size) {
    const x = names(extent.length);
    return [
      `isl ${name}`,
      `{ [${x.join()}] : ${x.map((v, d) => `${lower[d]} <= ${v} < ${lower[d] + extent[d]}`).join(' and ') || '1 = 1'} }`,
    ];
  }
  const lines: string[] = [];
  forEachRun(set, (from, to) => {
    for (let c = from; c < to; c++)
      lines.push(strides.map((s, d) => (Math.floor(c / s) % extent[d]) + lower[d]).join(' '));
  });
  return [`set ${name} ${extent.length} ${lines.length}`].concat(lines);
};
