import { type Op, type Value, bufferName, lanesOf } from '@filigree/ir';
import { type Expr, binds, call, expr, sum } from '../expr.js';
import { type Site, type Spelling, type Spellings, onVectors, typeOf } from './spelling.js';

const element = (op: Op, index: Expr, site: Site): Expr => site.element(bufferName(op), index);

const address = (op: Op, index: Expr, site: Site): Expr => expr(`&${element(op, index, site).text}`, binds.unary);

const load: Spelling = {
  effect: 'read',
  write: (op, [index], site) => {
    const [result] = op.results as [Value];
    if (lanesOf(result.type) > 1) {
      const how = op.attrs['keep'] === true ? 'keep' : 'load';
      return call(onVectors(how, result, site), address(op, index!, site));
    }
    const at = element(op, site.index(op.operands[0]!, index!), site);
    return typeOf(op) === 'i1' ? expr(`${at.text} != 0`, binds.equality) : { ...at, inMemory: true };
  },
};

const store: Spelling = {
  effect: 'effect',
  write: (op, [value, index], site) => {
    const apart = site.apart(bufferName(op));
    const at = apart === undefined ? index! : sum(index!, expr(apart));
    return lanesOf(op.operands[0]!.type) > 1
      ? call(onVectors('store', op.operands[0]!, site), address(op, at, site), value!)
      : expr(`${element(op, at, site).text} = ${site.alone(op, value!).text}`, 0);
  },
};

/* Under a mask where the processor has one: what follows in memory is not touched. */
const loadFirst: Spelling = {
  effect: 'read',
  write: (op, [index], site) =>
    call(
      onVectors('loadFirst', op.results[0]!, site),
      address(op, index!, site),
      expr(String(op.attrs['count'] as number)),
    ),
};

const storeFirst: Spelling = {
  effect: 'effect',
  write: (op, [value, index], site) =>
    call(
      onVectors('storeFirst', op.operands[0]!, site),
      address(op, index!, site),
      value!,
      expr(String(op.attrs['count'] as number)),
    ),
};

/**
 * Atomics as calls of helpers.
 *
 * @param formOf what stands before the kind in the name of the helper, where threads do it in another way than one by one
 */
export const atomicSpelling = (formOf: (op: Op, site: Site) => string | undefined = () => undefined): Spelling => ({
  effect: 'effect',
  write: (op, [value, index], site) => {
    const update = site.update(bufferName(op));
    const form = update === 'serial' ? undefined : formOf(op, site);
    const how = form === undefined ? update : `${update}_${form}`;
    return call(site.helper(`${how}_${String(op.attrs['kind'])}_${typeOf(op)}`), address(op, index!, site), value!);
  },
});

const cas: Spelling = {
  effect: 'effect',
  write: (op, [expected, desired, index], site) =>
    call(
      site.helper(`${site.update(bufferName(op))}_cas_${typeOf(op)}`),
      address(op, index!, site),
      expected!,
      desired!,
    ),
};

/*
 * For reading, into the second-level cache: what is wanted soon is not wanted yet, and would push out of the first-level one what is
 * at work. The address may be outside of the buffer: nothing is checked.
 */
const prefetch: Spelling = {
  effect: 'fixed',
  write: (op, [index], site) =>
    call('__builtin_prefetch', sum(expr(site.pointer(bufferName(op))), index!), expr('0'), expr('2')),
};

/* An empty instruction that may have changed the buffer, as far as the compiler knows; it takes no register. */
const reload: Spelling = {
  effect: 'fixed',
  write: (op, _args, site) => {
    const buffer = bufferName(op);
    return expr(`__asm__ volatile("" : "+m"(*(${site.stored(buffer)} (*)[])${site.pointer(buffer)}))`);
  },
};

/* What languages for GPUs have of their own, they spell by themselves. */
const fence: Spelling = {
  effect: 'effect',
  write: (op) => call('__atomic_thread_fence', expr(`__ATOMIC_${orders[String(op.attrs['order'])]!}`)),
};

const orders: Readonly<Record<string, string>> = { acquire: 'ACQUIRE', release: 'RELEASE', both: 'ACQ_REL' };

/* Serial code runs on one thread, and so does a part that runs alone. */
const worker: Spelling = {
  effect: 'read',
  write: (op, _args, site) => {
    const count = Number(op.attrs['count']);
    const number = site.thread();
    return number === undefined || count === 1 ? expr('0') : expr(`${number} % ${count}`, binds.product);
  },
};

export const memorySpellings: Spellings = {
  'mem.load': load,
  'mem.store': store,
  'mem.loadFirst': loadFirst,
  'mem.storeFirst': storeFirst,
  'mem.atomic': atomicSpelling(),
  'mem.cas': cas,
  'mem.prefetch': prefetch,
  'mem.reload': reload,
  'mem.fence': fence,
  'mem.worker': worker,
};
