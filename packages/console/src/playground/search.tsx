// The second step: stores the value among others, and finds its row by a fingerprint alone.
import { useSignal } from '@preact/signals';
import { short } from '../parts/texts.ts';
import { Notice } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import type { Played } from './play.ts';
import { Try } from './try.tsx';
import { storeUsers, type Users } from './users.ts';

interface Found {
  readonly rows: Users['rows'];
  readonly wanted: string;
  readonly fingerprint: string;
  readonly found: readonly string[];
}

export function Search({ play, sealed: { value } }: Played) {
  const wanted = useSignal(value.toUpperCase());
  const users = useSignal<Users | undefined>(undefined);
  const search = async (): Promise<Found> => {
    users.value ??= await storeUsers(play.eaas, value);
    const { rows, find } = users.value;
    return { rows, wanted: wanted.value, ...(await find(wanted.value)) };
  };
  return (
    <Try play={play} action="Search" input={['Search for', wanted]} work={search} plaintextOf={() => value}>
      {(found) => <Stored {...found} />}
    </Try>
  );
}

function Stored({ rows, wanted, fingerprint, found }: Found) {
  return (
    <>
      <p class="soft">
        <code>
          select * from users where email_index = '<b>{short(fingerprint, 16)}</b>'
        </code>
      </p>
      <div class="scroll">
        <Table
          caption="The table users, as the database stores it"
          columns={[
            { title: 'id', cell: ({ id }) => id },
            // The end, because all ciphertexts of a key begin with the same header.
            { title: 'email', cell: ({ email }) => <code>…{email.slice(-18)}</code> },
            {
              title: 'email_index',
              cell: ({ id, email_index }) => (
                <>
                  <code>{short(email_index ?? 'NULL', 16)}</code>
                  {found.includes(id) && <span class="badge good">found</span>}
                </>
              ),
            },
          ]}
          rows={rows}
          keyOf={({ id }) => id}
          classOf={({ id }) => (found.includes(id) ? 'good' : '')}
        />
      </div>
      <Notice tone={found.length > 0 ? 'good' : 'info'}>
        {found.length > 0
          ? `“${wanted}” has the fingerprint of row ${found.join(', ')}. The field ignores upper and lower case.`
          : `No row has the fingerprint of “${wanted}”.`}
      </Notice>
    </>
  );
}
