// The operations of the core, by their routes. Plugins bring the others.
import type { Route } from '@eaas/protocol/wire';
import type { Operate } from '../plugin.ts';
import { apiKeyOperations } from './api-keys.ts';
import { auditOperations } from './audit.ts';
import { batchOperations } from './batches.ts';
import { dataKeyOperations } from './data-keys.ts';
import { keyOperations } from './keys.ts';
import { usageOperations } from './usage.ts';

export const operations: Partial<Readonly<Record<Route, Operate>>> = {
  ...keyOperations,
  ...apiKeyOperations,
  ...dataKeyOperations,
  ...batchOperations,
  ...auditOperations,
  ...usageOperations,
};
