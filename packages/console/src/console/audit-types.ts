import type { Input } from '@eaas/protocol/wire';

type Query = Input<'GET /v1/audit'>;

/** The action of an audit entry. */
export type AuditAction = Exclude<Query['action'], undefined>;
/** The filter of the list of audit entries. */
export type AuditFilter = Omit<Query, 'limit' | 'offset'>;
