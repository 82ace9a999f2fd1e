// What tests of other packages use of the inside of @eaas/dev.
export { ROLES } from '../../packages/dev/src/embedded-database.ts';
