// The page of API keys and the page of sign-ins: a list of what may sign in, which is made, edited and revoked in dialogs.
import { inLine } from '@eaas/protocol/internal';
import { permissions } from '@eaas/protocol/wire';
import type { EaasClient } from '@eaas/sdk';
import type { ComponentChildren, ComponentType, VNode } from 'preact';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { openDialog } from '../parts/dialog.tsx';
import type { Fields } from '../parts/form.ts';
import { Listing, type LoadPage, type Page, usePages } from '../parts/listing.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { Empty, FailureView } from '../parts/states.tsx';
import type { Column } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { signedIn } from '../session.ts';
import { stateOf } from './api-key-state.ts';

interface Row {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
}

export interface ShowProps<Whole> {
  readonly record: Whole;
  readonly isNew?: boolean;
}

interface Calls<Of, Whole, Body> {
  page: LoadPage<Of>;
  /** Reads what a list leaves out, and what changed meanwhile. */
  get(id: string): Promise<Whole>;
  create(body: Body): Promise<Whole>;
  update(id: string, change: Partial<Body>): Promise<unknown>;
  revoke(id: string): Promise<unknown>;
}

/** What differs between the two kinds. */
export interface Kind<Of extends Page, Listed extends Row, Whole extends Row, Body> {
  readonly title: string;
  readonly lead: string;
  /** One of them and several, as in a sentence. */
  readonly noun: string;
  readonly nouns: string;
  /** What the button says that makes one, and its dialog. */
  readonly make: readonly [string, string];
  readonly empty: ComponentChildren;
  readonly fields: Fields<Body, Whole>;
  readonly columns: (open: (row: Listed) => void) => readonly Column<Listed>[];
  readonly calls: (client: EaasClient) => Calls<Of, Whole, Body>;
  readonly rowsOf: (page: Of) => readonly Listed[];
  readonly idOf: (row: Listed | Whole) => string;
  readonly Show: ComponentType<ShowProps<Whole>>;
  /** What of it never changes, in the form of a change. */
  readonly fixed?: string;
  /** What the user types before it is revoked. */
  readonly typedOf: (record: Whole) => string;
  readonly revoking: (record: Whole) => ComponentChildren;
  readonly isOwn?: (record: Whole, apiKey: string) => boolean;
}

export function Records<Of extends Page, Listed extends Row, Whole extends Row, Body extends object>({
  kind,
}: {
  readonly kind: Kind<Of, Listed, Whole, Body>;
}) {
  const { title, lead, noun, nouns, make, fields, Show } = kind;
  const { apiKey, client } = signedIn();
  const calls = kind.calls(client);
  const list = usePages(calls.page);
  const opening = useWork();
  const open = (row: Listed, dialogOf: (record: Whole) => VNode): void =>
    void opening.run(async () => openDialog(dialogOf(await calls.get(kind.idOf(row)))));
  const isOwn = (record: Whole): boolean => kind.isOwn?.(record, apiKey) === true;

  const made = async (body: Body): Promise<void> => {
    const record = await calls.create(body);
    list.reload();
    openDialog(<Show record={record} isNew />);
  };
  const editing = (record: Whole) => (
    <RecordDialog
      title={`Edit ${inLine(record.name)}`}
      action="Save the changes"
      fields={fields}
      record={record}
      isOwn={isOwn(record)}
      send={async (body) => {
        await calls.update(kind.idOf(record), body);
        list.reload();
      }}
    >
      {kind.fixed !== undefined && <p class="soft">{kind.fixed}</p>}
    </RecordDialog>
  );
  const revoking = (record: Whole) => (
    <Confirm
      title={`Revoke ${inLine(record.name)}`}
      action={`Revoke the ${noun}`}
      isDangerous
      {...(stateOf(record).text === 'Expired' ? {} : { typed: kind.typedOf(record) })}
      work={async () => {
        await calls.revoke(kind.idOf(record));
        list.reload();
      }}
    >
      <p>{kind.revoking(record)}</p>
      {isOwn(record) && (
        <p>
          <strong>This is the {noun} that you are signed in with. You will be signed out.</strong>
        </p>
      )}
    </Confirm>
  );
  const create = (
    <Button
      kind="primary"
      onClick={() =>
        openDialog(<RecordDialog title={make[0]} action={make[1]} fields={fields} send={made} />)
      }
    >
      {make[0]}
    </Button>
  );
  const button = (text: string, row: Listed, dialogOf: (record: Whole) => VNode) => (
    <Button kind="quiet" onClick={() => open(row, dialogOf)}>
      {text}
      <span class="unseen"> {inLine(row.name)}</span>
    </Button>
  );
  const actions: Column<Listed> = {
    title: 'Actions',
    kind: 'end',
    isQuiet: true,
    cell: (row) =>
      row.revoked_at === null && (
        <>
          {button('Edit', row, editing)}
          {button('Revoke', row, revoking)}
        </>
      ),
  };
  const isEmpty = list.value?.count === 0;

  return (
    <>
      <PageHead title={title} lead={lead} action={list.failure || isEmpty ? undefined : create} />
      {opening.failure && <FailureView failure={opening.failure} />}
      <Listing
        list={list}
        rowsOf={kind.rowsOf}
        of={nouns}
        needs="api_keys.manage"
        empty={
          <Empty title={`No ${nouns} yet`} action={create}>
            {kind.empty}
          </Empty>
        }
        columns={[
          ...kind.columns((row) => open(row, (record) => <Show record={record} />)),
          expiresColumn,
          actions,
        ]}
        keyOf={kind.idOf}
        classOf={(row) => (stateOf(row).tone === 'plain' ? 'past' : '')}
        isStale={list.isLoading || opening.isBusy}
      />
    </>
  );
}

export const stateColumn: Column<Row> = {
  title: 'State',
  cell: (row) => {
    const { text, tone } = stateOf(row);
    return <span class={`badge ${tone}`}>{text}</span>;
  },
};

export function permissionsColumn(title: string): Column<Row> {
  const shown = (has: readonly string[]) => (has.length === permissions.length ? 'all' : has.join(', '));
  return { title, cell: (row) => <code class="name">{shown(row.permissions)}</code> };
}

const expiresColumn: Column<Row> = {
  title: 'Expires',
  cell: ({ expires_at }) => <When time={expires_at} />,
};
