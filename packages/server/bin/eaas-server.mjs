#!/usr/bin/env node
process.stderr.write(
  'The command is in the package @eaas/cli: install it, and run `npx --no-install @eaas/cli` instead.\n',
);
process.exitCode = 2;
