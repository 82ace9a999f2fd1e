// Asks before a person is erased, and says what is lost for ever and what the erasure does not reach.
import { Consequences } from '../parts/consequences.tsx';
import { signedIn } from '../session.ts';
import type { nameOf } from './people-find.ts';
import { ConfirmPermitted, type Permit } from './permitted.tsx';

interface ErasePersonProps {
  readonly name: NonNullable<ReturnType<typeof nameOf>>;
  /** Whether nothing was ever encrypted for this person. */
  readonly isUnknown: boolean;
  readonly onDone: () => void;
}

const erasing: Permit = {
  needs: 'subjects.erase',
  to: 'erase a person',
  // Nobody has this id, because ids are random to whoever lacks the tenant's secret.
  probe: ({ subjects }) => subjects.erase({ subjectId: '0'.repeat(64) }),
};

export function ErasePerson({ name, isUnknown, onDone }: ErasePersonProps) {
  const { subjects } = signedIn().client;
  return (
    <ConfirmPermitted
      {...erasing}
      title="Erase this person"
      action="Erase for ever"
      typed={name.subject ?? name.subjectId.slice(0, 8)}
      isDangerous
      work={async () => {
        await subjects.erase(name, { create: isUnknown });
        onDone();
      }}
    >
      {isUnknown ? (
        <p>
          Nothing was encrypted for this person yet. The service remembers the subject as erased, so that a
          delayed job cannot bring the person back.
        </p>
      ) : (
        <>
          <Consequences texts={lost} />
          <h3>What it does not reach</h3>
          <Consequences texts={unreached} isMild />
        </>
      )}
    </ConfirmPermitted>
  );
}

const lost = [
  'Everything that was first encrypted for this person is lost for ever, in every table, replica and backup of your app.',
  'The subject cannot come back. A person who returns needs a new one.',
  'Nobody can undo this.',
];
const unreached = [
  'Copies from before your app named the person: they open until their key is destroyed.',
  'Exports of keys, and local key files, that were made before.',
  'Data keys in the memory of clients: they work for at most five minutes more, by default.',
  'Backups of the service, until they expire.',
  'Fingerprint columns: set them to NULL for this person.',
];
