import { inLine } from '@eaas/protocol/internal';
import type { EaasClient } from '@eaas/sdk';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureView } from '../parts/states.tsx';
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
  const { isBusy, failure, run } = useWork();
  const changes = changesOf(apiKey, draft);
  const hasChanges = Object.keys(changes.fields).length > 0;
  const kept = expires_at === null ? 'As now: never' : `As now: ${dateTime(expires_at)}`;

  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await run(() => client.apiKeys.update({ api_key_id, ...changes.fields }))) onDone();
  };

  return (
    <Dialog title={`Edit ${inLine(name)}`} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <ApiKeyFields client={client} fields={fields} lives={[['unchanged', kept], ...lives]} />
        <Consequences changes={changes} isOwn={isOwn} />
        {failure && <FailureView failure={failure} />}
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={changes.losses.length > 0 ? 'danger' : 'primary'}
            type="submit"
            isBusy={isBusy}
            busyText="Saving"
            disabled={!hasChanges || !isComplete(draft)}
          >
            Save the changes
          </Button>
        </div>
      </form>
    </Dialog>
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
