import { checkRootKey } from '../operations/check-root-key.ts';
import { reporting, withService } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { note, printResult } from './output.ts';

/** `eaas root-key check`. */
export const rootKeyCheck = reporting(
  'check',
  "Check that the root key opens the database. Tries every tenant's secret, and says whether a rotation is under way.",
  ['root-key check', 'root-key check --json'],
).action(async (options: { json?: true }) => {
  const check = await withService(({ service }) => checkRootKey(service));
  printResult(check, options);
  if (check.unopened.length > 0) {
    note("These tenants' secrets do not open: their rows were changed behind the service's back.");
    process.exitCode = exitCodes.refused;
  } else if (check.under_previous > 0) {
    note('Next: eaas root-key rotate');
  }
});
