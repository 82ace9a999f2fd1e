#!/usr/bin/env node
// This file is committed and not built, because npm links the command at install time, before anything is built.
import '../dist/main.js';
