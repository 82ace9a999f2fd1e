#!/usr/bin/env node
import { guardOutput } from '@eaas/protocol/internal';
import { run } from '../dist/command.js';

// Whoever does not read to the end does not learn that nothing old is left.
guardOutput(1);
// Node ends with this code when nothing can settle the promise any more: a driver may lose its connection without an error.
process.on('exit', () => process.exitCode === 13 && process.stderr.write('Lost the database: run again.\n'));
process.exitCode = await run(process.argv.slice(2));
