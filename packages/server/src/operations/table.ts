import { apiKeyOperations } from './api-keys.ts';
import { auditOperations } from './audit.ts';
import { dataKeyOperations } from './data-keys.ts';
import { issuerOperations } from './issuers.ts';
import { keyOperations, publicKeys } from './keys.ts';
import type { Operations } from './operation.ts';
import { subjectOperations } from './subjects.ts';

export const operations: Operations = {
  ...keyOperations,
  ...dataKeyOperations,
  ...apiKeyOperations,
  ...issuerOperations,
  ...auditOperations,
  ...subjectOperations,
  'GET /v1/keys/:key_id/public-key': publicKeys,
};
