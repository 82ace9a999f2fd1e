// Cells that the tables of API keys and of sign-ins have in common.
import { inLine } from '@eaas/protocol/internal';
import { Button } from '../parts/button.tsx';
import type { Column } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { type ApiKeyRecord, stateOf } from './api-key-state.ts';

type Row = Pick<ApiKeyRecord, 'name' | 'revoked_at' | 'expires_at'>;

/** The class of a row. */
export function classOf(row: Row): string {
  return stateOf(row).tone === 'plain' ? 'past' : '';
}

export const stateColumn: Column<Row> = {
  title: 'State',
  cell: (row) => {
    const { text, tone } = stateOf(row);
    return <span class={`badge ${tone}`}>{text}</span>;
  },
};

export const expiresColumn: Column<Row> = {
  title: 'Expires',
  cell: ({ expires_at }) => <When time={expires_at} />,
};

export function permissionsColumn(title: string): Column<{ readonly permissions: readonly string[] }> {
  return {
    title,
    cell: ({ permissions }) => (
      <ul class="tags">
        {permissions.map((permission) => (
          <li key={permission}>{permission}</li>
        ))}
      </ul>
    ),
  };
}

export function actionsColumn<One extends Row>(
  onEdit: (one: One) => void,
  onRevoke: (one: One) => void,
): Column<One> {
  return {
    title: 'Actions',
    kind: 'end',
    isQuiet: true,
    cell: (one) =>
      one.revoked_at === null && (
        <>
          <Button kind="quiet" label={`Edit ${inLine(one.name)}`} onClick={() => onEdit(one)}>
            Edit
          </Button>
          <Button kind="quiet" label={`Revoke ${inLine(one.name)}`} onClick={() => onRevoke(one)}>
            Revoke
          </Button>
        </>
      ),
  };
}
