// What the reference says about every endpoint. It is an entry of its own, so that no client bundles these texts.
export { fields } from './fields.ts';
export { callOf, groups, problemsOf } from './groups.ts';
export { bodySchema, exampleOf, openApiDocument, operationOf } from './openapi.ts';
export { inputSchema, type JsonSchema, outputSchema } from './openapi-schema.ts';
export { problemCauses } from './problem-causes.ts';
export { apiKeyId, dek, keyId, tenantId, token } from './samples.ts';
