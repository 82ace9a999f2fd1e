// What API keys and the users of an issuer can be allowed to do, and what API keys of browsers, or of some keys, cannot have.
const aboutKeys = ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'keys.destroy', 'keys.export'] as const;

const ofTenant = ['audit.read', 'api_keys.manage', 'usage.read', 'subjects.erase'] as const;

/** Every permission that an API key can have. */
export const permissions = [...aboutKeys, ...ofTenant] as const;

/**
 * Every permission that an issuer can give. `audit.own` shows people what happened to their own data; those of keys are for
 * workloads.
 */
export const issuerPermissions = [...aboutKeys, 'audit.own'] as const;

/** A permission of the users or workloads of an issuer. */
export type IssuerPermission = (typeof issuerPermissions)[number];

/** A permission of an API key. */
export type Permission = (typeof permissions)[number];

/** Permissions that concern the whole tenant. An API key that is limited to some keys cannot have these permissions. */
export const tenantWidePermissions: readonly Permission[] = ofTenant;

/** Permissions that an API key for browsers cannot have. */
export const serverSidePermissions: readonly Permission[] = [
  'keys.manage',
  'keys.destroy',
  'keys.export',
  'api_keys.manage',
  'subjects.erase',
];
