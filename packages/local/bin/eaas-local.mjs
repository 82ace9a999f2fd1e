#!/usr/bin/env node
import { run } from '../dist/command.js';

process.exitCode = run(process.argv.slice(2));
