import { parentPort } from 'node:worker_threads';
import { performWork } from '@filigree/sparse/equations';
import { takeWork, type Batch, type Done } from './regions/crew.js';

/** A worker of a crew: takes works of each batch until all are taken. */
parentPort?.on('message', ({ id, thread, works, taken }: Batch) => {
  for (let index = takeWork(taken, thread); index !== undefined; index = takeWork(taken, thread)) {
    let done: Done;
    try {
      const answer = performWork(works[index], (bytes) => new SharedArrayBuffer(bytes));
      done = { id, index, answer, failed: false };
    } catch {
      done = { id, index, answer: undefined, failed: true };
    }
    parentPort!.postMessage(done);
  }
});
