#!/usr/bin/env node
import { guardOutput } from '@eaas/protocol/internal';
import { run } from '../dist/command.js';

guardOutput();
process.exitCode = await run(process.argv.slice(2));
