#!/usr/bin/env node
// Committed, so that npm links the command at install time, before anything is built.
import '../dist/main.js';
