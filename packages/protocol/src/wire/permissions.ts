/** What an API key may be allowed to do. */
export const permissions = [
  'encrypt',
  'decrypt',
  'keys.read',
  'keys.manage',
  'keys.destroy',
  'keys.export',
  'audit.read',
  'api_keys.manage',
  'usage.read',
] as const;

/** What an API key may hold. */
export type Permission = (typeof permissions)[number];

/** Not for an API key that is limited to some keys: what these show or change is the whole tenant's. */
export const tenantWidePermissions: readonly Permission[] = ['audit.read', 'api_keys.manage', 'usage.read'];

/** Not for an API key that browsers use. */
export const serverSidePermissions: readonly Permission[] = [
  'keys.manage',
  'keys.destroy',
  'keys.export',
  'api_keys.manage',
];
