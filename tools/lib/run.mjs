import { spawn } from 'node:child_process';

/**
 * What became of a command: `code` is null when it could not start or ran out of time, and `output` says which.
 * @typedef {{ code: number | null, output: string, seconds: number }} Outcome
 */

/**
 * Runs a command with no standard input, so that nothing can wait for an answer.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: Record<string, string>, seconds?: number, show?: boolean }} options
 *   `show` passes the output on as it comes, besides collecting it; `seconds` is the time limit, 600 by default
 * @returns {Promise<Outcome>}
 */
export const run = (command, args, { cwd, env = {}, seconds = 600, show = false }) =>
  new Promise((resolve) => {
    const start = performance.now();
    const chunks = /** @type {Buffer[]} */ ([]);
    const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1', FORCE_COLOR: undefined };
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...colour, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** @param {number | null} code @param {string} note */
    const finish = (code, note) => {
      clearTimeout(timer);
      const output = Buffer.concat(chunks).toString('utf8') + note;
      resolve({ code, output, seconds: (performance.now() - start) / 1000 });
    };
    let note = '';
    const timer = setTimeout(() => {
      note = `\n${command} was stopped after ${seconds} s\n`;
      child.kill('SIGKILL');
    }, seconds * 1000);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        chunks.push(chunk);
        if (show) process.stdout.write(chunk);
      });
    child.on('error', (e) => finish(null, `\n${command} did not start: ${e.message}\n`));
    child.on('close', (code) => finish(note ? null : code, note));
  });

/**
 * Maps items with at most `width` of them in work at a time; results stand in the order of the items.
 * @template T, R
 * @param {readonly T[]} items
 * @param {number} width
 * @param {(item: T) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
export const inParallel = async (items, width, work) => {
  const results = /** @type {R[]} */ (Array.from({ length: items.length }));
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(/** @type {T} */ (items[at]));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
};
