/** Where a command writes: results to `out`, messages and progress to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The stream for a progress bar; absent where plain lines are wanted. */
  readonly bar?: NodeJS.WriteStream;
}

/**
 * The streams of this process. Standard output is for results alone: what else prints there, such as a module that is
 * being compiled, comes out as messages.
 */
export const processTerminal = (): Terminal => {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  process.stdout.on('error', stopWriting);
  /* Messages that nobody reads are no reason to stop. */
  process.stderr.on('error', () => undefined);
  return {
    out: (text) => void write(text),
    err: (text) => void process.stderr.write(text),
    ...(process.stderr.isTTY ? { bar: process.stderr } : {}),
  };
};

/* A reader that has enough, such as `head`, is no error; a full disk is. */
const stopWriting = (e: NodeJS.ErrnoException): never => {
  if (e.code === 'EPIPE') process.exit(0);
  process.stderr.write(`error[cli/output]: the output cannot be written (${e.code ?? e.message})\n`);
  process.exit(1);
};
