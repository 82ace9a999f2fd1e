#!/usr/bin/env node
// npm links this file as the command `eaas` when it installs the package, before anything is built. So this file is
// committed and not built.
import '../dist/main.js';
