import type { Input } from '@eaas/protocol/wire';

type Query = Input<'GET /v1/audit'>;

export type AuditAction = Exclude<Query['action'], undefined>;
export type AuditFilter = Omit<Query, 'limit' | 'offset'>;
