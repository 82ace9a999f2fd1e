// What tests of other packages use of the inside of @eaas/fleet.
export {
  newestVersions,
  rowIdsOf,
  rowPortion,
  tokenHashes,
  versionPortion,
} from '../../packages/fleet/src/copy/copies.ts';
export { markerTable, nightTable } from '../../packages/fleet/src/nightly/verifications.ts';
