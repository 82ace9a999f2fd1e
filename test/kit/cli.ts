// What tests of other packages use of the inside of @eaas/cli.
export { readConfig } from '../../packages/cli/src/config.ts';
