// What the reference says about every endpoint. It is an entry of its own, so that no client bundles these texts.
import { samples } from './samples.ts';

export { bodySchema, callOf, exampleOf, groups, inputSchema, type JsonSchema } from './openapi.ts';
export { describeField, openApiDocument, operationOf, outputSchema, problemsOf } from './openapi.ts';
export { problemCauses } from './problems.ts';

/** The ids and secrets of the examples. No service accepts them. */
export const { apiKeyId, dek, keyId, tenantId, token } = samples;
