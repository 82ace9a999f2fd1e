import type { AuditAction } from './audit-types.ts';

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

/**
 * Takes the actions from `actionTexts`, because importing the list of actions from `@eaas/protocol/wire` would
 * add the library zod to the page.
 */
export const actionOptions: readonly (readonly [string, string])[] = [
  ['', 'All actions'],
  ...Object.entries(actionTexts).map(([action, text]) => [action, `${action}: ${text}`] as const),
];
