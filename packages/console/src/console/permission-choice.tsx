import type { Signal } from '@preact/signals';
import { type Permission, serverSidePermissions, tenantWidePermissions } from '@eaas/protocol/wire';
import { permissionTexts } from './permission-texts.ts';

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
