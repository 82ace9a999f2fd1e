export { citus, hasCitus, tenantFunctions, undistributed } from './distribute.ts';
