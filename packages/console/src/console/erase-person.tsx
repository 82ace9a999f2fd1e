import type { Output } from '@eaas/protocol/wire';
import { type EaasClient, EaasError } from '@eaas/sdk';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { Loading } from '../parts/states.tsx';
import { session } from '../session.ts';
import type { nameOf } from './people-find.ts';

export type Erasure = Output<'POST /v1/subjects/erase'>;

interface ErasePersonProps {
  readonly client: EaasClient;
  readonly name: NonNullable<ReturnType<typeof nameOf>>;
  /** Whether nothing was ever encrypted for this person. */
  readonly isUnknown: boolean;
  readonly onClose: () => void;
  readonly onDone: (erasure: Erasure) => void;
}

/** Checks the permission first, so that nobody types the name of a person in vain. */
export function ErasePerson(props: ErasePersonProps) {
  const { client, onClose } = props;
  const isSure = session.value?.isDevelopment === true;
  const { value, failure, reload } = useLoaded(async () => isSure || (await requireErase(client)), [client]);
  if (value) return <ConfirmErase {...props} />;
  return (
    <Dialog title="Erase this person" onClose={onClose}>
      <div class="stack">
        {!failure && <Loading text="Checking the permission" />}
        {failure && (
          <PageFailure failure={failure} needs="subjects.erase" to="erase a person" onRetry={reload} />
        )}
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

function ConfirmErase({ client, name, isUnknown, onClose, onDone }: ErasePersonProps) {
  const typed = name.subject ?? name.subjectId.slice(0, 8);
  return (
    <Confirm
      title="Erase this person"
      action="Erase for ever"
      busyText="Erasing"
      typed={typed}
      isDangerous
      work={async () => onDone(await client.subjects.erase(name, { create: isUnknown }))}
      onDone={() => {}}
      onClose={onClose}
    >
      {isUnknown ? (
        <p>
          Nothing was encrypted for this person yet. The service remembers the subject as erased, so that a
          delayed job cannot bring the person back.
        </p>
      ) : (
        <>
          <ul class="consequences">
            <li>
              Everything that was first encrypted for this person is lost for ever, in every table, replica
              and backup of your app.
            </li>
            <li>The subject cannot come back. A person who returns needs a new one.</li>
            <li>Nobody can undo this.</li>
          </ul>
          <div class="stack">
            <h3>What it does not reach</h3>
            <ul class="consequences mild">
              <li>Copies from before your app named the person: they open until their key is destroyed.</li>
              <li>Exports of keys, and local key files, that were made before.</li>
              <li>
                Data keys in the memory of clients: they work for at most five minutes more, by default.
              </li>
              <li>Backups of the service, until they expire.</li>
              <li>Fingerprint columns: set them to NULL for this person.</li>
            </ul>
          </div>
        </>
      )}
    </Confirm>
  );
}

/** Nobody has this id, because ids are random to whoever lacks the tenant's secret. */
const nobody = '0'.repeat(64);

/**
 * Throws if the session lacks the permission `subjects.erase`. The service checks permissions before it looks for the
 * person, so this call changes nothing and writes no audit entry.
 */
async function requireErase({ subjects }: Pick<EaasClient, 'subjects'>): Promise<true> {
  await subjects.erase({ subjectId: nobody }).catch((error: unknown) => {
    if (!(error instanceof EaasError) || error.code !== 'not_found') throw error;
  });
  return true;
}
