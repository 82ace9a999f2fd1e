import type { Signal } from '@preact/signals';
import { type Permission, serverSidePermissions, tenantWidePermissions } from '@eaas/protocol/wire';
import { FieldError } from '../parts/field.tsx';

interface Exclusion {
  readonly by: 'keys' | 'origins';
  readonly permissions: readonly string[];
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

interface PermissionChoiceProps<Name extends string> {
  readonly legend?: string;
  readonly texts: Readonly<Partial<Record<Name, string>>>;
  readonly value: Signal<readonly Name[]>;
  readonly excluded?: readonly Exclusion[];
  readonly error?: string | undefined;
}

export function PermissionChoice<Name extends string>({
  legend = 'Permissions',
  texts,
  value,
  excluded = [],
  error,
}: PermissionChoiceProps<Name>) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {(Object.keys(texts) as Name[]).map((name) => (
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
            <span class="soft">{texts[name]}</span>
          </span>
        </label>
      ))}
      {excluded.map(({ by, reason }) => (
        <p key={by} class="hint">
          {reason}
        </p>
      ))}
      <FieldError error={error} />
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
