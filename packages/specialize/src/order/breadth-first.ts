import type { Accesses } from './accesses.js';

/** What more units than this touch says nothing about which of them are near. */
const MAX_NEIGHBOURS = 48;

/**
 * Units in the order of a breadth-first search over what they touch, as Cuthill and McKee number a matrix: units that
 * share operands follow one another closely, however the program's data are numbered.
 */
export const breadthFirst = (touched: Accesses): Int32Array => {
  const users = transpose(touched);
  const units = touched.ptr.length - 1;
  const order = new Int32Array(units);
  const seen = new Uint8Array(units);
  const spent = new Uint8Array(touched.count);
  let found = 0;
  const add = (unit: number): void => {
    if (seen[unit] === 1) return;
    seen[unit] = 1;
    order[found++] = unit;
  };
  for (let done = 0, next = 0; done < units; done++) {
    /* A part that shares nothing with what came before begins at its first unit. */
    while (done === found) add(next++);
    const unit = order[done];
    for (let i = touched.ptr[unit]; i < touched.ptr[unit + 1]; i++) {
      const value = touched.values[i];
      if (spent[value] === 1) continue;
      spent[value] = 1;
      if (users.ptr[value + 1] - users.ptr[value] > MAX_NEIGHBOURS) continue;
      for (let k = users.ptr[value]; k < users.ptr[value + 1]; k++) add(users.units[k]);
    }
  }
  return order;
};

/** For each value the units that touch it: `units[ptr[v] .. ptr[v+1])`. */
const transpose = ({ ptr, values, count }: Accesses): { ptr: Int32Array; units: Int32Array } => {
  const out = new Int32Array(count + 1);
  for (let i = 0; i < values.length; i++) out[values[i] + 1]++;
  for (let v = 0; v < count; v++) out[v + 1] += out[v];
  const next = out.slice(0, count);
  const units = new Int32Array(values.length);
  for (let u = 0; u + 1 < ptr.length; u++) for (let i = ptr[u]; i < ptr[u + 1]; i++) units[next[values[i]]++] = u;
  return { ptr: out, units };
};
