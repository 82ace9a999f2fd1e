#!/usr/bin/env node
// Committed, so that npm links `npx eaas` at install time, before anything is built.
import '../dist/main.js';
