import { runCommandLine } from './cli/command-line.js';
import { processTerminal } from './cli/terminal.js';

/* What the `filigree` command runs. */
process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
