// What the reference says about every endpoint. It is an entry of its own, so that no client bundles these texts.
export { describeField, fields } from './fields.ts';
export { callOf, groups, problemsOf } from './groups.ts';
export { problemCauses } from './problem-causes.ts';
export { apiKeyId, dek, keyId, tenantId, token } from './samples.ts';
