import type { Permission } from '@eaas/protocol/wire';

export const permissionTexts: Readonly<Record<Permission, string>> = {
  encrypt: 'Wrap data keys, compute fingerprints, and see public keys',
  decrypt: 'Unwrap data keys',
  'keys.read': 'See keys and their versions',
  'keys.manage': 'Create, rotate, disable and enable keys',
  'keys.destroy': 'Destroy keys, and restore them',
  'keys.export': 'Export the material of exportable keys',
  'audit.read': 'Read and verify the audit log',
  'api_keys.manage': 'Create, edit and revoke API keys',
  'usage.read': 'See the usage by month',
};
