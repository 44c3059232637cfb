import { builtin } from './builtin.js';

/** A thread that runs a script of its own: a worker of Node or of the browser. */
export interface Thread {
  readonly post: (message: unknown) => void;
  /** Whether the process waits for this thread before it ends. */
  readonly hold: (hold: boolean) => void;
  readonly terminate: () => void;
}

/**
 * Starts a thread on `script`, in which `post(message)` and `receive(listener)` are defined. `onFailure` hears of errors that the script
 * does not catch, and where there is Node of the thread's end, whatever ended it. Returns `undefined` where there are no threads.
 */
export const startThread = (
  script: string,
  onMessage: (message: unknown) => void,
  onFailure: (message: string) => void,
): Thread | undefined => {
  const threads = builtin<typeof import('node:worker_threads')>('node:worker_threads');
  if (threads) {
    const worker = new threads.Worker(nodePrelude + script, { eval: true, execArgv: [], stdin: false });
    worker.on('message', onMessage);
    worker.on('error', (e: Error) => onFailure(e.message));
    worker.on('exit', () => onFailure('it was stopped'));
    /* After the listeners: adding one would hold the process again. */
    worker.unref();
    return {
      post: (message) => worker.postMessage(message),
      hold: (hold) => (hold ? worker.ref() : worker.unref()),
      terminate: () => void worker.terminate(),
    };
  }
  if (typeof Worker === 'undefined') return undefined;
  const url = URL.createObjectURL(new Blob([webPrelude + script], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.onmessage = (e: MessageEvent<unknown>) => {
    onMessage(e.data);
  };
  worker.onerror = (e) => {
    onFailure(e.message);
  };
  return {
    post: (message) => worker.postMessage(message),
    hold: () => undefined,
    terminate: () => {
      worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
};

const nodePrelude = `'use strict';
const { parentPort } = require('node:worker_threads');
const post = (message) => parentPort.postMessage(message);
const receive = (listener) => parentPort.on('message', listener);
`;

const webPrelude = `'use strict';
const post = (message) => postMessage(message);
const receive = (listener) => { onmessage = (e) => listener(e.data); };
`;
