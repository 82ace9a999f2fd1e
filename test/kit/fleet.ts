// What tests of other packages use of the inside of @eaas/fleet.
export { markerTable, nightTable } from '../../packages/fleet/src/nightly/verifications.ts';
