#!/usr/bin/env node
// npm links a command at install time, when `dist` does not exist yet.
import '../dist/main.js';
