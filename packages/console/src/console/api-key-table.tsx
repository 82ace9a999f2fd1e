import { inLine } from '@eaas/protocol/internal';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/short.ts';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { type ApiKeyRecord, stateOf } from './api-key-state.ts';

interface ApiKeyTableProps {
  readonly apiKeys: readonly ApiKeyRecord[];
  readonly isStale: boolean;
  readonly onEdit: (apiKey: ApiKeyRecord) => void;
  readonly onRevoke: (apiKey: ApiKeyRecord) => void;
}

export function ApiKeyTable({ apiKeys, isStale, onEdit, onRevoke }: ApiKeyTableProps) {
  const actions: Column<ApiKeyRecord> = {
    title: 'Actions',
    kind: 'end',
    isQuiet: true,
    cell: (apiKey) =>
      apiKey.revoked_at === null && (
        <>
          <Button kind="quiet" label={`Edit ${inLine(apiKey.name)}`} onClick={() => onEdit(apiKey)}>
            Edit
          </Button>
          <Button kind="quiet" label={`Revoke ${inLine(apiKey.name)}`} onClick={() => onRevoke(apiKey)}>
            Revoke
          </Button>
        </>
      ),
  };
  return (
    <Table
      caption="API keys, newest first"
      columns={[...columns, actions]}
      rows={apiKeys}
      keyOf={({ api_key_id }) => api_key_id}
      classOf={(apiKey) => (stateOf(apiKey).tone === 'plain' ? 'past' : '')}
      isStale={isStale}
    />
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
  {
    title: 'State',
    cell: (apiKey) => {
      const { text, tone } = stateOf(apiKey);
      return <span class={`badge ${tone}`}>{text}</span>;
    },
  },
  {
    title: 'Permissions',
    cell: ({ permissions }) => (
      <ul class="tags">
        {permissions.map((permission) => (
          <li key={permission}>{permission}</li>
        ))}
      </ul>
    ),
  },
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
  { title: 'Expires', cell: ({ expires_at }) => <When time={expires_at} /> },
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
