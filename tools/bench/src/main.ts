import { benchMain } from './bench.js';

process.exitCode = await benchMain(process.argv.slice(2));
