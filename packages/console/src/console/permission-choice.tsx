import type { Signal } from '@preact/signals';
import { type Permission, serverSidePermissions, tenantWidePermissions } from '@eaas/protocol/wire';

interface Exclusion {
  readonly by: 'keys' | 'origins';
  readonly permissions: readonly Permission[];
  readonly reason: string;
}

export const exclusions: readonly Exclusion[] = [
  {
    by: 'keys',
    permissions: tenantWidePermissions,
    reason: 'An API key that is limited to some keys cannot act for the whole tenant.',
  },
  {
    by: 'origins',
    permissions: serverSidePermissions,
    reason: 'An API key for web pages cannot change, destroy or export keys, and cannot manage API keys.',
  },
];

interface PermissionChoiceProps {
  readonly value: Signal<readonly Permission[]>;
  readonly excluded: readonly Exclusion[];
}

export function PermissionChoice({ value, excluded }: PermissionChoiceProps) {
  const names = Object.keys(permissionTexts) as Permission[];
  return (
    <fieldset class="choices">
      <legend>Permissions</legend>
      {names.map((name) => (
        <label key={name} class="choice">
          <input
            type="checkbox"
            checked={value.value.includes(name)}
            disabled={excluded.some(({ permissions }) => permissions.includes(name))}
            onChange={({ currentTarget: { checked } }) =>
              (value.value = checked ? [...value.value, name] : value.value.filter((one) => one !== name))
            }
          />
          <span>
            <code>{name}</code>
            <span class="soft">{permissionTexts[name]}</span>
          </span>
        </label>
      ))}
      {excluded.map(({ by, reason }) => (
        <p key={by} class="hint">
          {reason}
        </p>
      ))}
    </fieldset>
  );
}

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
  'subjects.erase': 'Erase the data of a person, for ever',
};
