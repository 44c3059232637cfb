import type { Accesses } from './accesses.js';

/** What more units than this touch says nothing about which of them are near. */
const MAX_NEIGHBOURS = 48;

/**
 * Units in the order of a breadth-first search over what they touch, as Cuthill and McKee number a matrix: units that
 * share operands follow one another closely, however the program's data are numbered.
 *
 * @param nodes number of nodes in the graph
 */
export const breadthFirst = (touched: Accesses, nodes: number): Int32Array => {
  const users = transpose(touched, nodes);
  const units = touched.ptr.length - 1;
  const order = new Int32Array(units);
  const seen = new Uint8Array(units);
  const spent = new Uint8Array(nodes);
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
      const node = touched.nodes[i];
      if (spent[node] === 1) continue;
      spent[node] = 1;
      if (users.ptr[node + 1] - users.ptr[node] > MAX_NEIGHBOURS) continue;
      for (let k = users.ptr[node]; k < users.ptr[node + 1]; k++) add(users.nodes[k]);
    }
  }
  return order;
};

/** For each node the units that touch it. */
const transpose = ({ ptr, nodes }: Accesses, count: number): Accesses => {
  const out = new Int32Array(count + 1);
  for (let i = 0; i < nodes.length; i++) out[nodes[i] + 1]++;
  for (let n = 0; n < count; n++) out[n + 1] += out[n];
  const next = out.slice(0, count);
  const users = new Int32Array(nodes.length);
  for (let u = 0; u + 1 < ptr.length; u++) for (let i = ptr[u]; i < ptr[u + 1]; i++) users[next[nodes[i]]++] = u;
  return { ptr: out, nodes: users };
};
