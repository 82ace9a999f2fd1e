import { type Signal, useSignal } from '@preact/signals';
import type { Output, Permission } from '@eaas/protocol/wire';
import type { EaasClient } from '@eaas/sdk';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Select } from '../parts/field.tsx';
import { FailureView, Notice } from '../parts/states.tsx';
import { KeyChoice } from './key-choice.tsx';
import { permissionTexts, tenantWide } from './permission-texts.ts';

type Created = Output<'POST /v1/api-keys'>;

const lives: readonly (readonly [string, string])[] = [
  ['1', 'After a day'],
  ['30', 'After 30 days'],
  ['90', 'After 90 days'],
  ['365', 'After a year'],
  ['', 'Never'],
];

interface CreateApiKeyProps {
  readonly client: EaasClient;
  readonly onClose: () => void;
}

/** Asks what a new API key may do, and then shows its token once. */
export function CreateApiKey({ client, onClose }: CreateApiKeyProps) {
  const created = useSignal<Created | undefined>(undefined);
  if (created.value) return <Shown created={created.value} onClose={onClose} />;
  return <Form client={client} onClose={onClose} onCreated={(record) => (created.value = record)} />;
}

function Form({ client, onClose, onCreated }: CreateApiKeyProps & { onCreated: (created: Created) => void }) {
  const name = useSignal('');
  const days = useSignal('90');
  const permissions = useSignal<readonly Permission[]>(['encrypt', 'decrypt']);
  const keyIds = useSignal<readonly string[] | null>(null);
  const { isBusy, failure, run } = useWork();
  const isEmpty = permissions.value.length === 0 || keyIds.value?.length === 0;

  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    const expires_at =
      days.value === '' ? null : new Date(Date.now() + Number(days.value) * 86_400_000).toISOString();
    await run(async () =>
      onCreated(
        await client.apiKeys.create({
          name: name.value.trim(),
          permissions: [...permissions.value],
          key_ids: keyIds.value && [...keyIds.value],
          expires_at,
        }),
      ),
    );
  };

  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void create(event)}>
        <Field
          label="Name"
          hint="The application that will use it."
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
        <Select label="Expires" value={days} options={lives} />
        {failure && <FailureView failure={failure} />}
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} busyText="Creating" disabled={isEmpty}>
            Create the API key
          </Button>
        </div>
      </form>
    </Dialog>
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

/** Shows the token, for the only time. */
function Shown({ created, onClose }: { readonly created: Created; readonly onClose: () => void }) {
  return (
    <Dialog title={`${created.name} is ready`} onClose={onClose} mustAnswer>
      <div class="stack">
        <Notice tone="warn">
          Copy the API key now. It is shown this once. The service keeps only a hash of it.
        </Notice>
        <div class="token">
          <code>{created.api_key}</code>
          <Copy text={created.api_key} of="the API key" />
        </div>
        <p class="soft">
          Put it where the application reads <code>EAAS_API_KEY</code>. Never put it into code or a page.
        </p>
        <div class="actions">
          <Button kind="primary" onClick={onClose}>
            I have stored it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
