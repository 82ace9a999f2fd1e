// The form of an API key.
import { type Input, serverSidePermissions, tenantWidePermissions } from '@eaas/protocol/wire';
import type { ApiKeyRecord } from '@eaas/sdk';
import type { Fields, Form } from '../parts/form.ts';
import { nameOf } from '../parts/typed.tsx';
import { expiry, keyIds, origins, permissionsOf, permissionTexts } from './fields.tsx';

export const apiKeyFields: Fields<Input<'POST /v1/api-keys'>, ApiKeyRecord> = {
  name: nameOf('The application that uses it.'),
  key_ids: keyIds<string[] | null>(null),
  allowed_origins: origins(
    'No web page can use it, only programs',
    'Web pages of these origins can use it too',
    'One per line. Everyone who opens such a page can read the API key.',
  ),
  permissions: permissionsOf({
    legend: 'Permissions',
    fault: 'Choose at least one permission.',
    texts: () => permissionTexts,
    exclusionsIn: ({ read }: Form) => exclusions.filter(({ by }) => read(by) !== null),
  }),
  expires_at: expiry('90'),
};

const exclusions = [
  {
    by: 'key_ids',
    permissions: tenantWidePermissions,
    reason: 'An API key that is limited to some keys cannot act for the whole tenant.',
  },
  {
    by: 'allowed_origins',
    permissions: serverSidePermissions,
    reason: 'An API key for web pages cannot change, destroy or export keys, and cannot manage API keys.',
  },
] as const;
