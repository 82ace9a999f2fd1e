import { type Signal, useSignal } from '@preact/signals';
import type { Permission } from '@eaas/protocol/wire';
import type { EaasClient } from '@eaas/sdk';
import { Field, Select } from '../parts/field.tsx';
import { KeyChoice } from './key-choice.tsx';
import { permissionTexts, tenantWide } from './permission-texts.ts';

export interface ApiKeyDraft {
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** The ids of the keys that the API key can use. Null means all keys. */
  readonly keyIds: readonly string[] | null;
  readonly expires: string;
}

export const lives: readonly (readonly [string, string])[] = [
  ['1', 'After a day'],
  ['30', 'After 30 days'],
  ['90', 'After 90 days'],
  ['365', 'After a year'],
  ['', 'Never'],
];

export function expiryOf(expires: string): string | null {
  return expires === '' ? null : new Date(Date.now() + Number(expires) * 86_400_000).toISOString();
}

export function isComplete({ permissions, keyIds }: ApiKeyDraft): boolean {
  return permissions.length > 0 && keyIds?.length !== 0;
}

export function useApiKeyDraft(start: ApiKeyDraft) {
  const name = useSignal(start.name);
  const permissions = useSignal(start.permissions);
  const keyIds = useSignal(start.keyIds);
  const expires = useSignal(start.expires);
  const draft: ApiKeyDraft = {
    name: name.value.trim(),
    permissions: permissions.value,
    keyIds: keyIds.value,
    expires: expires.value,
  };
  return { name, permissions, keyIds, expires, draft };
}

interface ApiKeyFieldsProps {
  readonly client: EaasClient;
  readonly fields: Omit<ReturnType<typeof useApiKeyDraft>, 'draft'>;
  readonly lives: readonly (readonly [string, string])[];
}

export function ApiKeyFields({ client, fields, lives: options }: ApiKeyFieldsProps) {
  const { name, permissions, keyIds, expires } = fields;
  return (
    <>
      <Field
        label="Name"
        hint="The application that uses it."
        autocomplete="off"
        maxLength={128}
        required
        value={name}
      />
      <KeyChoice
        client={client}
        value={keyIds}
        onChange={(ids) => {
          keyIds.value = ids;
          if (ids) permissions.value = permissions.value.filter((one) => !tenantWide.has(one));
        }}
      />
      <Permissions value={permissions} isLimited={keyIds.value !== null} />
      <Select label="Expires" value={expires} options={options} />
    </>
  );
}

interface PermissionsProps {
  readonly value: Signal<readonly Permission[]>;
  readonly isLimited: boolean;
}

function Permissions({ value, isLimited }: PermissionsProps) {
  const names = Object.keys(permissionTexts) as Permission[];
  return (
    <fieldset class="choices">
      <legend>Permissions</legend>
      {names.map((name) => (
        <label key={name} class="choice">
          <input
            type="checkbox"
            checked={value.value.includes(name)}
            disabled={isLimited && tenantWide.has(name)}
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
      {isLimited && (
        <p class="hint">An API key that is limited to some keys cannot act for the whole tenant.</p>
      )}
    </fieldset>
  );
}
