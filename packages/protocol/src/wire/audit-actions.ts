/** Every action that an audit entry can record. */
export const auditActions = [
  'key.wrap',
  'key.unwrap',
  'key.create',
  'key.rotate',
  'key.disable',
  'key.enable',
  'key.destroy',
  'key.restore',
  'key.export',
  'key.rotation_policy',
  'encrypt',
  'decrypt',
  'envelope_only.refused',
  'api_key.create',
  'api_key.update',
  'api_key.revoke',
  'tenant.update',
] as const;

/** What an entry records. */
export type AuditAction = (typeof auditActions)[number];
