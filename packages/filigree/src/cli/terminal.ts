/** Where a command writes: results to `out`, messages and progress to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The stream for a progress bar; absent where plain lines are wanted. */
  readonly bar?: NodeJS.WriteStream;
}

/** The streams of this process. */
export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  ...(process.stderr.isTTY ? { bar: process.stderr } : {}),
};
