// What audit entries record. No schema stands here, so the pages of the console have it without zod.

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
  'key.min_version',
  'encrypt',
  'decrypt',
  'envelope_only.refused',
  'api_key.create',
  'api_key.update',
  'api_key.revoke',
  'tenant.update',
  'subject.erase',
  'issuer.create',
  'issuer.update',
  'issuer.revoke',
] as const;

/** The action of an audit entry. */
export type AuditAction = (typeof auditActions)[number];

/** What an action is, in words. */
export const actionTexts: Readonly<Record<AuditAction, string>> = {
  'key.wrap': 'data key wrapped',
  'key.unwrap': 'data key unwrapped',
  'key.create': 'key created',
  'key.rotate': 'key rotated',
  'key.disable': 'key disabled',
  'key.enable': 'key enabled',
  'key.destroy': 'key destroyed',
  'key.restore': 'key restored',
  'key.export': 'key exported',
  'key.rotation_policy': 'rotation changed',
  'key.min_version': 'older versions closed or opened',
  encrypt: 'value encrypted by the service',
  decrypt: 'value decrypted by the service',
  'envelope_only.refused': 'server mode refused',
  'api_key.create': 'API key created',
  'api_key.update': 'API key changed',
  'api_key.revoke': 'API key revoked',
  'tenant.update': 'tenant changed',
  'subject.erase': 'person erased',
  'issuer.create': 'issuer created',
  'issuer.update': 'issuer changed',
  'issuer.revoke': 'issuer revoked',
};
