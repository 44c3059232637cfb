import {
  isFloat,
  isVector,
  lanesOf,
  scalarOf,
  type ControlOf,
  type Op,
  type Region,
  type ScalarType,
  type Value,
} from '@filigree/ir';

/** What is known of vectors of integers and truth values, by id. */
export interface WholeWords {
  /** Of those that registers hold whole the bytes of the floats beside them; otherwise nothing. */
  readonly bytes: (id: number) => 4 | 8 | undefined;
}

/**
 * The vectors of integers and truth values that registers hold whole, by id. One that meets an op which is done lane by lane is better taken apart from the beginning, and so is all that is computed with
 * it; but for what a loop carries: it is whole if all that the loop computes with it is, and taken apart as an index of what is gathered, and before and behind the loop. What loops and branches carry is what it
 * was before. Beside floats of 64 bits as many lanes are in a register as there are of these.
 *
 * @param words ops that work on whole registers of words of 32 bits
 */
export const wholeWords = (body: Region, controlOf: ControlOf, words: ReadonlySet<string> = new Set()): WholeWords => {
  const parent = new Map<number, number>();
  const rootOf = (id: number): number => {
    let root = id;
    for (let next = parent.get(root); next !== undefined; next = parent.get(root)) root = next;
    return root;
  };
  const [apart, wide] = [new Set<number>(), new Set<number>()];
  const [few, carried] = [new Set<number>(), new Set<number>()];
  const known = new Set<number>();
  const alike = (values: readonly Value[]): readonly Value[] => {
    const integers = values.filter(isWords);
    integers.forEach((v, k) => {
      known.add(v.id);
      const [a, b] = [rootOf(integers[0]!.id), rootOf(v.id)];
      if (k > 0 && a !== b) parent.set(b, a);
    });
    return integers;
  };
  const visit = (region: Region, goes: boolean): void => {
    for (const op of region.ops) {
      if (op.name === 'scf.yield' || op.name === 'scf.condition') continue;
      const edges = controlOf(op)?.edges;
      const isLoop = op.name === 'scf.while' || (op.name === 'scf.for' && op.results.some(isWords));
      if (edges) {
        for (const { from, to, first, into } of edges) {
          const given = (from === 'start' ? op.operands : op.regions[from]!.ops.at(-1)!.operands).slice(first);
          const taken = (to === 'end' ? op.results : op.regions[to]!.params).slice(into);
          taken.forEach((v, k) => alike([v, ...given.slice(k, k + 1)]));
          if (isLoop) taken.forEach((v) => carried.add(v.id));
        }
      } else {
        const values = [...op.operands, ...op.results];
        /* What is made words of, one by one, need be none. */
        const integers = alike(makesWords(op) ? op.results : values);
        const [integer] = integers;
        const isFew =
          (!goes || ofIndices.has(op.name) || makesWords(op)) && integers.every((v) => isWordType(scalarOf(v.type)));
        if (integer && !onWords(op, words) && !isRow(op)) (isFew ? few : apart).add(integer.id);
        if (integer && values.some((v) => scalarOf(v.type) === 'f64')) wide.add(integer.id);
      }
      op.regions.forEach((r) => visit(r, goes || isLoop));
    }
  };
  if (words.size > 0) visit(body, false);
  const rootsOf = (ids: ReadonlySet<number>): ReadonlySet<number> => new Set([...ids].map(rootOf));
  const [lanewise, seldom, going, doubled] = [rootsOf(apart), rootsOf(few), rootsOf(carried), rootsOf(wide)];
  const isApart = (root: number): boolean => lanewise.has(root) || (seldom.has(root) && !going.has(root));
  return {
    bytes: (id) => (!known.has(id) || isApart(rootOf(id)) ? undefined : doubled.has(rootOf(id)) ? 8 : 4),
  };
};

const isWords = ({ type }: Value): boolean => isVector(type) && !isFloat(type);

/** Whether an op makes words of other integers. */
const makesWords = ({ name, operands, results }: Op): boolean =>
  name === 'arith.cast' &&
  isWords(operands[0]!) &&
  !isWordType(scalarOf(operands[0]!.type)) &&
  isWordType(scalarOf(results[0]!.type));

/** Whether an op moves words that lie in a row. */
const isRow = ({ name, operands, results }: Op): boolean =>
  (name === 'mem.load' || name === 'mem.store') &&
  [...operands, ...results].every(
    ({ type }) => !isVector(type) || (isWordType(scalarOf(type)) && scalarOf(type) !== 'i1'),
  );

/** Ops that use a vector as so many indices. */
const ofIndices: ReadonlySet<string> = new Set(['mem.gather', 'mem.scatter']);

/** Whether an op works on whole registers of words, or makes them, or takes lanes out. */
export const onWords = (op: Op, words: ReadonlySet<string> = new Set()): boolean => {
  const values = [...op.operands, ...op.results];
  const vectors = values.filter((v) => isVector(v.type));
  if (words.size === 0 || vectors.length === 0 || vectors.every((v) => isFloat(v.type) && !words.has(op.name)))
    return false;
  if (
    !vectors.every(
      (v) =>
        (isWordType(scalarOf(v.type)) || scalarOf(v.type) === 'f64') && lanesOf(v.type) === lanesOf(vectors[0]!.type),
    )
  )
    return false;
  const isTruth = vectors.some((v) => scalarOf(v.type) === 'i1');
  if (op.name === 'arith.extract' || (op.name === 'arith.reduce' && isTruth)) return true;
  if (op.name === 'arith.splat') return true;
  if (op.name === 'arith.insert' || op.name === 'arith.constant') return !isTruth;
  if (!words.has(op.name)) return false;
  if (op.name !== 'arith.cast') return true;
  /* A float that may not fit is cut to what does, in words with a sign. */
  const cuts = isFloat(op.operands[0]!.type) && op.attrs['fits'] !== true;
  return !isTruth && (!cuts || scalarOf(op.results[0]!.type) === 'i32');
};

/** Whether lanes of a type are words of 32 bits, or truth values, which become such beside words. */
export const isWordType = (t: ScalarType): boolean => t === 'f32' || t === 'i32' || t === 'u32' || t === 'i1';
