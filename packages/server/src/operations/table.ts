import { apiKeyOperations } from './api-keys.ts';
import { auditOperations } from './audit.ts';
import { dataKeyOperations } from './data-keys.ts';
import { keyOperations } from './keys.ts';
import type { Operations } from './operation.ts';

export const operations: Operations = {
  ...keyOperations,
  ...dataKeyOperations,
  ...apiKeyOperations,
  ...auditOperations,
};
