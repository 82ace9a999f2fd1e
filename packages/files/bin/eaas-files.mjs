#!/usr/bin/env node
// This file is committed so that npm can link the command at install time, before `dist` is built.
import '../dist/main.js';
