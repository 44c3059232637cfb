import { spawn, type ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import { type Ended, type Program, type Start, MOST_OUTPUT, inGroup, startHere } from './start.js';

/**
 * A process is started by a copy of the one that starts it, and to copy what says where the memory of a large one lies takes long: from 600 MB
 * 140 ms, in which nothing else runs, where a small one takes 11. So a large process starts one small process, and that all others. Until that one runs takes
 * 50 ms, as long as two or three copies of 300 MB.
 */
const LARGE = 320 << 20;

/** How a process as large as this one starts programs. */
export const startBySize: Start = async (program, started) => {
  if (process.memoryUsage.rss() < LARGE) return startHere(program, started);
  const elsewhere = await (starter ??= startStarter());
  return (elsewhere ?? startHere)(program, started);
};

let starter: Promise<Start | undefined> | undefined;

/* What runs there: the same as `startHere`, for each program that is sent. When this process ends, all that it started do. */
const SCRIPT = `
const { spawn } = require('node:child_process');
const running = new Set();
process.on('message', ({ id, command, args, cwd, env }) => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, detached: ${inGroup}, cwd, env });
  const out = { stdout: '', stderr: '' };
  const end = (how) => {
    running.delete(child);
    if (process.connected) process.send({ id, ended: { ...out, ...how } });
  };
  if (child.pid !== undefined) {
    running.add(child);
    process.send({ id, pid: child.pid });
  }
  for (const stream of ['stdout', 'stderr'])
    child[stream].setEncoding('utf8').on('data', (text) => {
      if (out[stream].length < ${MOST_OUTPUT}) out[stream] += text;
    });
  child.on('error', (e) => end({ failure: e.code ?? e.message }));
  child.on('close', (status, signal) => end({ status: status ?? undefined, signal: signal ?? undefined }));
});
process.on('disconnect', () => {
  for (const { pid } of running) {
    try {
      process.kill(${inGroup ? '-pid' : 'pid'}, 'SIGKILL');
    } catch {}
  }
  process.exit();
});
process.send({ ready: true });
`;

interface Answer {
  readonly id: number;
  readonly ready?: true;
  readonly pid?: number;
  readonly ended?: Ended;
}

interface Waiting {
  readonly started: (pid: number) => void;
  readonly ended: (how: Ended) => void;
}

/** Undefined where there is none: under a program that is not Node, which would run itself once more, or where it does not start. */
const startStarter = (): Promise<Start | undefined> =>
  new Promise((resolve) => {
    if (!/^node(\.exe)?$/.test(basename(process.execPath))) return resolve(undefined);
    const env = { ...process.env, NODE_OPTIONS: undefined };
    const child = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env });
    const waiting = new Map<number, Waiting>();
    /* Only while something runs does it keep this process from ending. */
    const hold = (on: boolean): void => {
      if (on) child.ref();
      else child.unref();
      if (on) child.channel?.ref();
      else child.channel?.unref();
    };
    const gone = (): void => {
      resolve(undefined);
      starter = undefined;
      for (const { ended } of waiting.values()) ended({ stdout: '', stderr: '', failure: 'its starter ended' });
      waiting.clear();
    };
    child.on('error', gone);
    child.on('exit', gone);
    child.on('message', ({ id, ready, pid, ended }: Answer) => {
      if (ready) return resolve(startThere(child, waiting, hold));
      if (pid !== undefined) waiting.get(id)?.started(pid);
      if (ended) waiting.get(id)?.ended(ended);
    });
  });

const startThere = (child: ChildProcess, waiting: Map<number, Waiting>, hold: (on: boolean) => void): Start => {
  let next = 0;
  hold(false);
  return (program: Program, started) =>
    new Promise((resolve) => {
      const id = next++;
      hold(true);
      const ended = (how: Ended): void => {
        waiting.delete(id);
        if (waiting.size === 0) hold(false);
        resolve(how);
      };
      waiting.set(id, { started, ended });
      child.send({ id, ...program, env: program.env ?? process.env });
    });
};
