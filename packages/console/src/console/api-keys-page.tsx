// API keys as records of the console, and the one dialog that ever shows a new API key.
import { inLine } from '@eaas/protocol/internal';
import type { Input, Output } from '@eaas/protocol/wire';
import { CopyBox } from '../parts/copy.tsx';
import { ShowDialog } from '../parts/dialog.tsx';
import { counted } from '../parts/texts.ts';
import { Notice } from '../parts/states.tsx';
import { When } from '../parts/when.tsx';
import type { ApiKeyRecord } from '@eaas/sdk';
import { apiKeyFields } from './api-key-fields.ts';
import { type Kind, permissionsColumn, Records, type ShowProps, stateColumn } from './records-page.tsx';

/** With the API key itself, only in the answer that made it. */
type Whole = ApiKeyRecord & { readonly api_key?: string };

export function ApiKeys() {
  return <Records kind={apiKeys} />;
}

const apiKeys: Kind<Output<'GET /v1/api-keys'>, ApiKeyRecord, Whole, Input<'POST /v1/api-keys'>> = {
  title: 'API keys',
  lead:
    'An application signs in with an API key. Create one API key for each application, with only the ' +
    'permissions that the application needs.',
  noun: 'API key',
  nouns: 'API keys',
  make: ['Create an API key', 'Create the API key'],
  empty: 'Create an API key for each application that encrypts or decrypts.',
  fields: apiKeyFields,
  columns: () => [
    {
      title: 'Name',
      cell: ({ name, hint }) => (
        <>
          {inLine(name)}
          <code class="soft under">…{hint}</code>
        </>
      ),
    },
    stateColumn,
    permissionsColumn('Permissions'),
    {
      title: 'Limited to',
      cell: ({ key_ids, allowed_origins }) => (
        <>
          {key_ids === null ? <span class="soft">all keys</span> : counted(key_ids.length, 'key')}
          {allowed_origins && <Origins origins={allowed_origins} />}
        </>
      ),
    },
    { title: 'Last used', cell: ({ last_used_at }) => <When time={last_used_at} /> },
  ],
  calls: (client) => client.apiKeys,
  rowsOf: (page) => page.api_keys,
  idOf: ({ api_key_id }) => api_key_id,
  Show: Created,
  typedOf: ({ hint }) => hint,
  revoking: ({ hint }) => (
    <>
      Every request with the API key that ends in <code>{hint}</code> is refused from now on. This cannot be
      undone. Data keys that a client has in memory work for at most five minutes more.
    </>
  ),
  isOwn: ({ hint }, apiKey) => apiKey.endsWith(hint),
};

function Created({ record: { name, api_key = '', allowed_origins } }: ShowProps<Whole>) {
  return (
    <ShowDialog title={`${inLine(name)} is ready`} action="I have stored it" mustAnswer>
      <Notice tone="warn">
        Copy the API key now. It is shown this once. The service keeps only a hash of it.
      </Notice>
      <CopyBox text={api_key} of="the API key" />
      {allowed_origins === null ? (
        <p class="soft">
          Store the API key where the application reads <code>EAAS_API_KEY</code>, and not in code or in a
          page.
        </p>
      ) : (
        <p class="soft">
          Pass the API key to the SDK on pages of {allowed_origins.join(', ')}. Everyone who opens these pages
          can read it.
        </p>
      )}
    </ShowDialog>
  );
}

function Origins({ origins }: { readonly origins: readonly string[] }) {
  const [first = '', ...more] = origins;
  return (
    <span class="under name" title={origins.join('\n')}>
      {first.replace(/^https:\/\//, '')}
      {more.length > 0 && <span class="soft"> and {more.length} more</span>}
    </span>
  );
}
