import { inLine } from '@eaas/protocol/internal';
import type { EaasClient } from '@eaas/sdk';
import { useWork } from '../load.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { dateTime } from '../parts/times.ts';
import { type ApiKeyChanges, changesOf } from './api-key-changes.ts';
import { isComplete, lives, useApiKeyDraft } from './api-key-draft.ts';
import { ApiKeyFields } from './api-key-form.tsx';
import type { ApiKeyRecord } from './api-key-state.ts';

interface EditApiKeyProps {
  readonly client: EaasClient;
  readonly apiKey: ApiKeyRecord;
  readonly isOwn: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function EditApiKey({ client, apiKey, isOwn, onClose, onDone }: EditApiKeyProps) {
  const { api_key_id, name, permissions, key_ids, allowed_origins, expires_at } = apiKey;
  const { draft, ...fields } = useApiKeyDraft({
    name,
    permissions,
    keyIds: key_ids,
    origins: allowed_origins,
    expires: 'unchanged',
  });
  const { run, ...state } = useWork();
  const changes = changesOf(apiKey, draft);
  const hasChanges = Object.keys(changes.fields).length > 0;
  const kept = expires_at === null ? 'As now: never' : `As now: ${dateTime(expires_at)}`;

  const save = async (): Promise<void> => {
    if (await run(() => client.apiKeys.update({ api_key_id, ...changes.fields }))) onDone();
  };

  return (
    <FormDialog
      title={`Edit ${inLine(name)}`}
      action="Save the changes"
      busyText="Saving"
      {...state}
      isDangerous={changes.losses.length > 0}
      isDisabled={!hasChanges || !isComplete(draft)}
      onSubmit={save}
      onClose={onClose}
    >
      <ApiKeyFields client={client} fields={fields} lives={[['unchanged', kept], ...lives]} />
      <Consequences changes={changes} isOwn={isOwn} />
    </FormDialog>
  );
}

interface ConsequencesProps {
  readonly changes: Pick<ApiKeyChanges, 'losses' | 'gains'>;
  readonly isOwn: boolean;
}

export function Consequences({ changes: { losses, gains }, isOwn }: ConsequencesProps) {
  if (losses.length + gains.length === 0) return null;
  return (
    <section class="stack" aria-live="polite">
      <h3>From the moment you save</h3>
      {losses.length > 0 && (
        <ul class="consequences">
          {losses.map((text) => (
            <li key={text}>{text}</li>
          ))}
          <li>Data keys that a client has in memory work for at most five minutes more.</li>
        </ul>
      )}
      {gains.length > 0 && (
        <ul class="consequences mild">
          {gains.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {isOwn && <p class="strong">You are signed in with this API key. The changes apply to this page.</p>}
    </section>
  );
}
