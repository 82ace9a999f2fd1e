import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { useLoaded } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { counted } from '../parts/short.ts';
import { Empty, Loading } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import type { PageProps } from '../session.ts';
import { actionsColumn, classOf, expiresColumn, permissionsColumn, stateColumn } from './api-key-cells.tsx';
import { type ApiKeyRecord, stateOf } from './api-key-state.ts';
import { CreateApiKey } from './create-api-key.tsx';
import { EditApiKey } from './edit-api-key.tsx';

const size = 50;

export function ApiKeys({ session }: PageProps) {
  const { client, apiKey: ownApiKey } = session;
  const isOwn = ({ hint }: ApiKeyRecord): boolean => ownApiKey.endsWith(hint);
  const offset = useSignal(0);
  const isCreating = useSignal(false);
  const edited = useSignal<ApiKeyRecord | undefined>(undefined);
  const revoked = useSignal<ApiKeyRecord | undefined>(undefined);
  const { value, failure, isLoading, reload } = useLoaded(
    (signal) => client.apiKeys.page({ limit: size, offset: offset.value }, { signal }),
    [offset.value],
  );
  const create = (
    <Button kind="primary" onClick={() => (isCreating.value = true)}>
      Create an API key
    </Button>
  );
  const actions = actionsColumn<ApiKeyRecord>(
    (apiKey) => (edited.value = apiKey),
    (apiKey) => (revoked.value = apiKey),
  );

  return (
    <>
      <PageHead
        title="API keys"
        lead={
          'An application signs in with an API key. Create one API key for each application, with only the ' +
          'permissions that the application needs.'
        }
        action={failure ? undefined : create}
      />
      {failure && <PageFailure failure={failure} needs="api_keys.manage" onRetry={reload} />}
      {!value && isLoading && <Loading text="Loading the API keys" />}
      {value && !failure && value.count === 0 && (
        <Empty title="No API keys yet" action={create}>
          Create an API key for each application that encrypts or decrypts.
        </Empty>
      )}
      {value && !failure && value.count > 0 && (
        <>
          <Table
            caption="API keys, newest first"
            columns={[...columns, actions]}
            rows={value.api_keys}
            keyOf={({ api_key_id }) => api_key_id}
            classOf={classOf}
            isStale={isLoading}
          />
          <Pager {...value} size={size} of="API keys" onMove={(to) => (offset.value = to)} />
        </>
      )}
      {isCreating.value && (
        <CreateApiKey
          client={client}
          onClose={() => {
            isCreating.value = false;
            reload();
          }}
        />
      )}
      {edited.value && (
        <EditApiKey
          client={client}
          apiKey={edited.value}
          isOwn={isOwn(edited.value)}
          onClose={() => (edited.value = undefined)}
          onDone={() => {
            edited.value = undefined;
            reload();
          }}
        />
      )}
      {revoked.value && (
        <Revoke
          client={client}
          apiKey={revoked.value}
          isOwn={isOwn(revoked.value)}
          onClose={() => (revoked.value = undefined)}
          onDone={() => {
            revoked.value = undefined;
            reload();
          }}
        />
      )}
    </>
  );
}

interface RevokeProps {
  readonly client: EaasClient;
  readonly apiKey: ApiKeyRecord;
  readonly isOwn: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Revoke({ client, apiKey, isOwn, onClose, onDone }: RevokeProps) {
  const { api_key_id, name, hint } = apiKey;
  return (
    <Confirm
      title={`Revoke ${inLine(name)}`}
      action="Revoke the API key"
      busyText="Revoking"
      isDangerous
      {...(stateOf(apiKey).text === 'Expired' ? {} : { typed: hint })}
      work={() => client.apiKeys.revoke({ api_key_id })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        Every request with the API key that ends in <code>{hint}</code> is refused from now on. This cannot be
        undone. Data keys that a client has in memory work for at most five minutes more.
      </p>
      {isOwn && (
        <p class="strong">This is the API key that you are signed in with. You will be signed out.</p>
      )}
    </Confirm>
  );
}

const columns: readonly Column<ApiKeyRecord>[] = [
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
  expiresColumn,
];

function Origins({ origins }: { readonly origins: readonly string[] }) {
  const [first = '', ...more] = origins;
  return (
    <span class="under origins" title={origins.join('\n')}>
      {first.replace(/^https:\/\//, '')}
      {more.length > 0 && <span class="soft"> and {more.length} more</span>}
    </span>
  );
}
