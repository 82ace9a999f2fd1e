import type { OnlineMigration } from '../online-migration.ts';

/**
 * All entries of one append have the same time. An index by time stores this time once, and 6 bytes for each entry. An
 * index by id needs 48 bytes for each entry.
 */
export const entriesByTime: OnlineMigration = {
  table: 'audit_entries',
  created: {
    audit_entries_by_key_and_time: '(tenant_id, key_id, created_at)',
    audit_entries_by_action_and_time: '(tenant_id, action, created_at)',
  },
  dropped: ['audit_entries_by_key', 'audit_entries_by_action'],
  // Autovacuum runs more often on this table. By default, the space of purged entries becomes free only when a fifth of
  // the table was purged.
  statements: `
alter table eaas.audit_entries set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
`,
};
