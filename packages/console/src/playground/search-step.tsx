import { useSignal } from '@preact/signals';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { short } from '../parts/short.ts';
import { FailureView, Notice } from '../parts/states.tsx';
import { type People, storePeople } from './people.ts';
import type { Play, Sealed } from './play.ts';
import { NotYet } from './sealing-steps.tsx';
import { Result, Step } from './step.tsx';

export function SearchStep({ play }: { readonly play: Play }) {
  const sealed = play.sealed.value;
  return (
    <Step
      name="search"
      number={5}
      title="Search without decrypting"
      lead="Two encryptions of one value look different, so the database cannot compare them. This page therefore stores a fingerprint beside each value. It computes the fingerprints with an index key, and equal values have equal fingerprints."
    >
      {sealed ? <Search key={sealed.value} play={play} sealed={sealed} /> : <NotYet />}
    </Step>
  );
}

interface Found {
  readonly wanted: string;
  readonly fingerprint: string;
  readonly found: readonly string[];
}

function Search({ play, sealed }: { readonly play: Play; readonly sealed: Sealed }) {
  const wanted = useSignal(sealed.value.toUpperCase());
  const people = useSignal<People | undefined>(undefined);
  const result = useSignal<Found | undefined>(undefined);
  const { isBusy, failure, run } = useWork();

  const search = async (event: Event): Promise<void> => {
    event.preventDefault();
    await run(async () => {
      people.value ??= await storePeople(play, sealed.value);
      const value = wanted.value;
      result.value = { wanted: value, ...(await people.value.find(value)) };
    });
  };

  return (
    <>
      <form class="inline" onSubmit={(event) => void search(event)}>
        <Field label="Search for" autocomplete="off" spellcheck={false} maxLength={200} value={wanted} />
        <Button kind="primary" type="submit" isBusy={isBusy} busyText="Searching">
          Search
        </Button>
      </form>
      <Result>
        {failure && <FailureView failure={failure} />}
        {people.value && result.value && <Table people={people.value} result={result.value} />}
      </Result>
    </>
  );
}

function Table({ people, result }: { readonly people: People; readonly result: Found }) {
  const { wanted, fingerprint, found } = result;
  return (
    <>
      <p class="query">
        <code>
          select * from users where email_index = '<b>{short(fingerprint, 16)}</b>'
        </code>
      </p>
      <div class="scroll">
        <table class="rows">
          <caption class="unseen">The table users, as the database stores it</caption>
          <thead>
            <tr>
              <th scope="col">id</th>
              <th scope="col">email</th>
              <th scope="col">email_index</th>
            </tr>
          </thead>
          <tbody>
            {people.rows.map(({ id, email, email_index }) => (
              <tr key={id} class={found.includes(id) ? 'found' : ''}>
                <th scope="row">{id}</th>
                <td>
                  <code>{short(email, 18)}</code>
                </td>
                <td>
                  <code>{short(email_index ?? 'NULL', 16)}</code>
                  {found.includes(id) && <span class="badge good">found</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Notice tone={found.length > 0 ? 'good' : 'info'}>
        {found.length > 0
          ? `“${wanted}” has the fingerprint of row ${found.join(', ')}. The field ignores upper and lower case.`
          : `No row has the fingerprint of “${wanted}”.`}
      </Notice>
    </>
  );
}
