// Finds the person whose data the app encrypts, shows who used it, and offers the report and the erasure.
import { useSignal } from '@preact/signals';
import { EaasError } from '@eaas/sdk';
import { useEffect } from 'preact/hooks';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Code } from '../parts/code.tsx';
import { Copy } from '../parts/copy.tsx';
import { openDialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Field, Select } from '../parts/field.tsx';
import { Once } from '../parts/once.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { counted } from '../parts/texts.ts';
import { Empty, Notice } from '../parts/states.tsx';
import { dateTime } from '../parts/times.ts';
import { signedIn } from '../session.ts';
import { ErasePerson } from './erase-person.tsx';
import { asked, faultOf, findPerson, looksLikeId, nameOf, type Person, type Wanted } from './people-find.ts';
import { PersonReport } from './person-report.tsx';
import { PersonTimeline } from './person-timeline.tsx';

const ways = [
  ['subject', 'Subject'],
  ['id', 'Subject id'],
] as const;

/** Keeps the person in memory only: neither the address nor the history of the browser says who it is. */
export function People() {
  const by = useSignal<string>(asked.value?.by ?? 'subject');
  const text = useSignal(asked.value?.text ?? '');
  const fault = useSignal<string | undefined>(undefined);
  const wanted = useSignal(asked.value);
  useEffect(() => {
    asked.value = undefined;
  }, []);
  const around = useLoaded(countPeople, []);
  useEffect(() => {
    fault.value = undefined;
  }, [by.value, text.value]);

  const find = (event: Event): void => {
    event.preventDefault();
    const typed = { by: by.value, text: text.value } as Wanted;
    fault.value = faultOf(typed);
    if (fault.value === undefined) wanted.value = typed;
  };
  return (
    <>
      <PageHead
        title="People"
        lead={
          'Each person whose data your app encrypts has a secret of their own, as the subject. See who used ' +
          'their data, and erase a person in one step.'
        }
      />
      <Once loaded={around} text="Loading" needs="audit.read">
        {({ subjects }) => (
          <>
            <form class="filters find page-head" aria-label="Find a person" onSubmit={find}>
              <Select label="Find by" value={by} options={ways} />
              <Field
                label={by.value === 'id' ? 'Subject id' : 'Subject'}
                hint={hintFor(by.value, text.value)}
                error={fault.value}
                maxLength={256}
                value={text}
              />
              <Button kind="primary" type="submit">
                Find
              </Button>
            </form>
            {wanted.value ? (
              <Found key={JSON.stringify(wanted.value)} wanted={wanted.value} />
            ) : (
              <NobodyYet subjects={subjects} />
            )}
          </>
        )}
      </Once>
    </>
  );
}

/** What the page says below the field in which a person is named. */
function hintFor(by: string, text: string): string {
  if (by === 'id') return 'Of the audit log: 32 or 64 characters.';
  if (looksLikeId(text)) return 'If this is an id of the audit log, choose “Subject id”.';
  return 'The text that your app passes to the SDK. Your service finds the person by it.';
}

/** Reads an entry first, so that a session without the permission sees it before it types. */
async function countPeople(signal: AbortSignal): Promise<{ subjects: number | undefined }> {
  const { client } = signedIn();
  await client.audit.page({ limit: 1 }, { signal });
  const usage = await client.usage({}, { signal }).catch(only('permission_missing'));
  return { subjects: usage?.subjects };
}

const only =
  (code: string) =>
  (error: unknown): undefined => {
    if (!(error instanceof EaasError) || error.code !== code) throw error;
  };

const example = `const ciphertext = await eaas.encrypt(note, { subject: patient.subject });
await eaas.decrypt(ciphertext, { subject: patient.subject });`;

function NobodyYet({ subjects }: { readonly subjects: number | undefined }) {
  if (subjects === undefined) return null;
  if (subjects > 0) {
    return <p class="soft">{counted(subjects, 'person has', 'people have')} a secret in this tenant.</p>;
  }
  return (
    <div class="stack">
      <Empty title="Nobody yet">
        A subject is the person, customer or device whose data a value is. Pass an opaque id of your app,
        never an e-mail address, and everything of this person opens only with their own secret. See{' '}
        <a href="/docs#showSubject" target="_blank" rel="noopener">
          subjects in the API reference
        </a>{' '}
        and the page “Encrypt for a person” of the manual.
      </Empty>
      <Code title="In your app" code={example} />
    </div>
  );
}

const unknown = {
  subject:
    'Nothing was encrypted for it in this tenant. A subject is compared exactly: type it as your app passes ' +
    'it, with its capitals and spaces. If a delayed job might still bring this person, erase the subject now.',
  id: 'No person of this tenant has this id, or the entries with half of it were purged. Copy the id of the audit log again.',
};

function Found({ wanted }: { readonly wanted: Wanted }) {
  const { client } = signedIn();
  const loaded = useLoaded(
    async (signal) => ({ person: await findPerson(client, wanted, signal).catch(only('not_found')) }),
    [wanted],
  );
  const { value, reload } = loaded;
  const name = nameOf(value?.person?.wanted ?? wanted);
  const erase = (text: string, kind: 'danger' | 'plain') => {
    if (!name) return undefined;
    const asking = <ErasePerson name={name} isUnknown={!value?.person} onDone={reload} />;
    return (
      <Button kind={kind} onClick={() => openDialog(asking)}>
        {text}
      </Button>
    );
  };
  return (
    <div aria-live="polite">
      <Once loaded={loaded} text="Looking" needs="audit.read">
        {({ person }) =>
          person ? (
            <>
              <Facts of={factsOf(person)} />
              {person.erased_at !== null && <ErasedNotice person={person} />}
              <div class="row page-head">
                <PersonReport subjectId={person.id} />
                {person.erased_at === null && erase('Erase this person', 'danger')}
              </div>
              {person.erased_at === null && !name && (
                <p class="soft page-head">
                  To erase this person, find them by the subject or by all 64 characters of the id.
                </p>
              )}
              <PersonTimeline key={`${person.id} ${person.erased_at}`} subjectId={person.id} />
            </>
          ) : (
            <Empty title="Nobody has this subject" action={erase('Erase it all the same', 'plain')}>
              {unknown[wanted.by]}
            </Empty>
          )
        }
      </Once>
    </div>
  );
}

function factsOf({ id, created_at, erased_at }: Person) {
  return {
    [id.length === 64 ? 'Subject id' : 'First half of the subject id']: (
      <>
        <code>{id}</code> <Copy text={id} of="the subject id" />
      </>
    ),
    'First used': created_at === null ? 'before the oldest entry' : dateTime(created_at),
    State: (
      <span class={erased_at === null ? 'badge good' : 'badge'}>
        {erased_at === null ? 'Not erased' : 'Erased'}
      </span>
    ),
  };
}

function ErasedNotice({ person: { erased_at, erasure } }: { readonly person: Person }) {
  return (
    <Notice tone="info">
      <p>
        <strong>This person was erased on {dateTime(erased_at ?? '')}.</strong> Nothing that was first
        encrypted for them opens again, and the subject cannot come back.{' '}
        {erasure
          ? `Entry ${erasure.id.toLocaleString('en')} of the audit log proves it. Keep its hash with the request of the person.`
          : 'The entry of the erasure was purged.'}
      </p>
      {erasure && (
        <p>
          <code>{erasure.hash}</code> <Copy text={erasure.hash} of="the hash of the entry" />
        </p>
      )}
      <p>Now set to NULL this person’s fingerprint columns, and values that are still in an older form.</p>
    </Notice>
  );
}
