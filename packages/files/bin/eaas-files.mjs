#!/usr/bin/env node
// The command is this file and not `dist/main.js`, because npm links commands before the build creates `dist`.
import '../dist/main.js';
