import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { Output } from '@eaas/protocol/wire';
import type { EaasClient } from '@eaas/sdk';
import { useWork } from '../load.ts';
import { CopyBox } from '../parts/copy.tsx';
import { ShowDialog } from '../parts/dialog.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Notice } from '../parts/states.tsx';
import { expiryOf, isComplete, lives, useApiKeyDraft } from './api-key-draft.ts';
import { ApiKeyFields } from './api-key-form.tsx';

type Created = Output<'POST /v1/api-keys'>;

interface CreateApiKeyProps {
  readonly client: EaasClient;
  readonly onClose: () => void;
}

export function CreateApiKey({ client, onClose }: CreateApiKeyProps) {
  const created = useSignal<Created | undefined>(undefined);
  if (created.value) return <Shown created={created.value} onClose={onClose} />;
  return <Form client={client} onClose={onClose} onCreated={(record) => (created.value = record)} />;
}

function Form({ client, onClose, onCreated }: CreateApiKeyProps & { onCreated: (created: Created) => void }) {
  const { draft, ...fields } = useApiKeyDraft({
    name: '',
    permissions: ['encrypt', 'decrypt'],
    keyIds: null,
    origins: null,
    expires: '90',
  });
  const { run, ...state } = useWork();

  const create = () =>
    run(async () =>
      onCreated(
        await client.apiKeys.create({
          name: draft.name,
          permissions: [...draft.permissions],
          key_ids: draft.keyIds && [...draft.keyIds],
          allowed_origins: draft.origins && [...draft.origins],
          expires_at: expiryOf(draft) ?? null,
        }),
      ),
    );

  return (
    <FormDialog
      title="Create an API key"
      action="Create the API key"
      busyText="Creating"
      {...state}
      isDisabled={!isComplete(draft)}
      onSubmit={create}
      onClose={onClose}
    >
      <ApiKeyFields client={client} fields={fields} lives={lives} />
    </FormDialog>
  );
}

function Shown({ created, onClose }: { readonly created: Created; readonly onClose: () => void }) {
  return (
    <ShowDialog
      title={`${inLine(created.name)} is ready`}
      action="I have stored it"
      onClose={onClose}
      mustAnswer
    >
      <Notice tone="warn">
        Copy the API key now. It is shown this once. The service keeps only a hash of it.
      </Notice>
      <CopyBox text={created.api_key} of="the API key" />
      {created.allowed_origins === null ? (
        <p class="soft">
          Store the API key where the application reads <code>EAAS_API_KEY</code>, and not in code or in a
          page.
        </p>
      ) : (
        <p class="soft">
          Pass the API key to the SDK on pages of {created.allowed_origins.join(', ')}. Everyone who opens
          these pages can read it.
        </p>
      )}
    </ShowDialog>
  );
}
