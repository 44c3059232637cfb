import { bufferName, isFloat } from '@filigree/ir';
import { combined, expression } from './expressions.mjs';
import { loaded, stored } from './types.mjs';

/**
 * A kernel as a function of its parameters. Loops run in order, the parallel ones, too; what a region hands on is assigned to variables that
 * stand around it.
 *
 * @param memory of each buffer its number, type and length
 */
export const kernelText = (kernel, memory) => {
  const lines = [];
  const say = (depth, text) => lines.push('  '.repeat(depth) + text);
  const name = (value) => `v${value.id}`;

  const assign = (depth, targets, values) => {
    if (targets.length === 1) say(depth, `${targets[0]} = ${name(values[0])};`);
    else if (targets.length > 1) say(depth, `[${targets.join(', ')}] = [${values.map(name).join(', ')}];`);
  };
  const declare = (depth, word, targets, values) =>
    targets.forEach((target, n) => say(depth, `${word} ${target}${values ? ` = ${values[n]}` : ''};`));

  /* The last op of a region says what it hands on: `end` writes that. */
  const region = ({ ops }, depth, end) => {
    ops.slice(0, -1).forEach((op) => statement(op, depth));
    end?.(ops.at(-1).operands, depth);
  };

  const place = (op, index) => {
    const { number, length } = memory.get(bufferName(op));
    return `m${number}[within(${name(index)}, ${length})]`;
  };

  const update = (op, depth, index, next) => {
    const { type } = memory.get(bufferName(op));
    const [old] = op.results.map(name);
    say(depth, `const ${old} = ${loaded(type, place(op, index))};`);
    say(depth, `${place(op, index)} = ${stored(type, next(type, old))};`);
  };

  const statements = {
    'scf.if': ({ operands: [condition], results, regions: [then, otherwise] }, depth) => {
      const yielded = (values, inner) => assign(inner, results.map(name), values);
      declare(depth, 'let', results.map(name));
      say(depth, `if (${name(condition)}) {`);
      region(then, depth + 1, yielded);
      if (otherwise) {
        say(depth, '} else {');
        region(otherwise, depth + 1, yielded);
      }
      say(depth, '}');
    },
    'scf.for': ({ operands: [from, to, step, ...first], results, regions: [body] }, depth) => {
      const [counter, ...carried] = body.params.map(name);
      declare(depth, 'let', results.map(name), first.map(name));
      say(depth, `if (${name(from)} < ${name(to)}) forward(${name(step)});`);
      say(depth, `for (let ${counter} = ${name(from)}; ${counter} < ${name(to)}; ${counter} += ${name(step)}) {`);
      declare(depth + 1, 'const', carried, results.map(name));
      region(body, depth + 1, (values, inner) => assign(inner, results.map(name), values));
      say(depth, '}');
    },
    'scf.while': ({ operands, results, regions: [before, after] }, depth) => {
      const carried = before.params.map((p) => `${name(p)}_`);
      declare(depth, 'let', carried, operands.map(name));
      declare(depth, 'let', results.map(name));
      say(depth, 'for (;;) {');
      declare(depth + 1, 'const', before.params.map(name), carried);
      region(before, depth + 1, ([condition, ...values], inner) => {
        assign(inner, results.map(name), values);
        say(inner, `if (!${name(condition)}) break;`);
      });
      declare(depth + 1, 'const', after.params.map(name), results.map(name));
      region(after, depth + 1, (values, inner) => assign(inner, carried, values));
      say(depth, '}');
    },
    'mem.load': (op, depth) =>
      say(
        depth,
        `const ${name(op.results[0])} = ${loaded(memory.get(bufferName(op)).type, place(op, op.operands[0]))};`,
      ),
    'mem.store': (op, depth) => {
      const [value, index] = op.operands;
      say(depth, `${place(op, index)} = ${stored(memory.get(bufferName(op)).type, name(value))};`);
    },
    'mem.atomic': (op, depth) =>
      update(op, depth, op.operands[1], (type, old) => combined(op.attrs.kind, type, old, name(op.operands[0]))),
    'mem.cas': (op, depth) => {
      const [expected, wanted, index] = op.operands;
      /* Bit by bit: -0 is not 0, and NaN is NaN. */
      const same = (type, a, b) => (isFloat(type) ? `Object.is(${a}, ${b})` : `${a} === ${b}`);
      update(op, depth, index, (type, old) => `(${same(type, old, name(expected))} ? ${name(wanted)} : ${old})`);
    },
    'mem.worker': ({ results: [number] }, depth) => say(depth, `const ${name(number)} = 0;`),
    /* One thread sees what it did, and knows best what to keep in registers. */
    'mem.fence': () => undefined,
    'mem.prefetch': () => undefined,
    'mem.reload': () => undefined,
  };

  const statement = (op, depth) => {
    const write = statements[op.name];
    if (write) write(op, depth);
    else say(depth, `const ${name(op.results[0])} = ${expression(op, name)};`);
  };

  region(kernel.body, 2);
  return `  ${JSON.stringify(kernel.name)}: (${kernel.params.map(name).join(', ')}) => {\n${lines.join('\n')}\n  },`;
};
