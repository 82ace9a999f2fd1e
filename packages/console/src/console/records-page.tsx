// The page of API keys and the page of sign-ins: a list of what may sign in, which is made, edited and revoked in dialogs.
import { inLine } from '@eaas/protocol/internal';
import type { EaasClient } from '@eaas/sdk';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLoaded, useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import type { Fields } from '../parts/form.ts';
import { Listing, type Paged, pageSize } from '../parts/listing.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { RecordDialog } from '../parts/record-dialog.tsx';
import { Empty, FailureView } from '../parts/states.tsx';
import type { Column } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import type { Session } from '../session.ts';
import { stateOf } from './api-key-state.ts';

interface Row {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly revoked_at: string | null;
  readonly expires_at: string | null;
}

export interface ShowProps<Whole> {
  readonly client: EaasClient;
  readonly record: Whole;
  readonly isNew: boolean;
  readonly onClose: () => void;
}

/** What differs between the two kinds. */
export interface Kind<Listed extends Row, Whole extends Row, Body> {
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
  readonly idOf: (row: Listed) => string;
  readonly calls: (client: EaasClient) => {
    readonly page: (
      query: { readonly limit: number; readonly offset: number },
      options: { readonly signal: AbortSignal },
    ) => Promise<Paged<Listed>>;
    /** Reads what a list leaves out. */
    readonly get: (row: Listed) => Promise<Whole>;
    readonly create: (body: Body) => Promise<Whole>;
    readonly update: (record: Whole, body: Body) => Promise<unknown>;
    readonly revoke: (record: Whole) => Promise<unknown>;
  };
  readonly Show: (props: ShowProps<Whole>) => ComponentChildren;
  /** What of it never changes, in the form of a change. */
  readonly fixed?: string;
  /** What the user types before it is revoked. */
  readonly typedOf: (record: Whole) => string;
  readonly revoking: (record: Whole) => ComponentChildren;
  readonly isOwn?: (record: Whole, session: Session) => boolean;
}

interface RecordsProps<Listed extends Row, Whole extends Row, Body> {
  readonly session: Session;
  readonly kind: Kind<Listed, Whole, Body>;
}

type Opened<Whole> =
  | { readonly what: 'make' }
  | { readonly what: 'made' | 'show' | 'edit' | 'revoke'; readonly record: Whole };

export function Records<Listed extends Row, Whole extends Row, Body extends object>({
  session,
  kind,
}: RecordsProps<Listed, Whole, Body>) {
  const { title, lead, noun, nouns, make, fields, Show } = kind;
  const { client } = session;
  const calls = kind.calls(client);
  const offset = useSignal(0);
  const opened = useSignal<Opened<Whole> | undefined>(undefined);
  const loaded = useLoaded(
    (signal) => calls.page({ limit: pageSize, offset: offset.value }, { signal }),
    [offset.value],
  );
  const opening = useWork();
  const open = (what: 'show' | 'edit' | 'revoke', row: Listed): void =>
    void opening.run(async () => (opened.value = { what, record: await calls.get(row) }));
  const onClose = (): void => void (opened.value = undefined);
  const onDone = (): void => {
    onClose();
    loaded.reload();
  };
  const create = (
    <Button kind="primary" onClick={() => (opened.value = { what: 'make' })}>
      {make[0]}
    </Button>
  );
  const isEmpty = loaded.value?.count === 0;
  const what = opened.value?.what;
  const record = opened.value && 'record' in opened.value ? opened.value.record : undefined;
  const isOwn = record !== undefined && kind.isOwn?.(record, session) === true;

  return (
    <>
      <PageHead title={title} lead={lead} action={loaded.failure || isEmpty ? undefined : create} />
      {opening.failure && <FailureView failure={opening.failure} />}
      <Listing
        loaded={loaded}
        of={nouns}
        needs="api_keys.manage"
        empty={
          <Empty title={`No ${nouns} yet`} action={create}>
            {kind.empty}
          </Empty>
        }
        columns={[...kind.columns((row) => open('show', row)), expiresColumn, actionsColumn(open)]}
        keyOf={kind.idOf}
        classOf={(row) => (stateOf(row).tone === 'plain' ? 'past' : '')}
        isStale={loaded.isLoading || opening.isBusy}
        onMove={(to) => (offset.value = to)}
      />
      {what === 'make' && (
        <RecordDialog
          client={client}
          title={make[0]}
          action={make[1]}
          fields={fields}
          send={async (body) => {
            opened.value = { what: 'made', record: await calls.create(body) };
            loaded.reload();
          }}
          onClose={onClose}
        />
      )}
      {record && (what === 'show' || what === 'made') && (
        <Show client={client} record={record} isNew={what === 'made'} onClose={onClose} />
      )}
      {record && what === 'edit' && (
        <RecordDialog
          client={client}
          title={`Edit ${inLine(record.name)}`}
          action="Save the changes"
          fields={fields}
          record={record}
          isOwn={isOwn}
          send={async (body) => {
            await calls.update(record, body);
            onDone();
          }}
          onClose={onClose}
        >
          {kind.fixed !== undefined && <p class="soft">{kind.fixed}</p>}
        </RecordDialog>
      )}
      {record && what === 'revoke' && (
        <Confirm
          title={`Revoke ${inLine(record.name)}`}
          action={`Revoke the ${noun}`}
          isDangerous
          {...(stateOf(record).text === 'Expired' ? {} : { typed: kind.typedOf(record) })}
          work={() => calls.revoke(record)}
          onDone={onDone}
          onClose={onClose}
        >
          <p>{kind.revoking(record)}</p>
          {isOwn && (
            <p>
              <strong>This is the {noun} that you are signed in with. You will be signed out.</strong>
            </p>
          )}
        </Confirm>
      )}
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
  return { title, cell: ({ permissions }) => <code class="name">{permissions.join(', ')}</code> };
}

const expiresColumn: Column<Row> = {
  title: 'Expires',
  cell: ({ expires_at }) => <When time={expires_at} />,
};

function actionsColumn<Listed extends Row>(
  open: (what: 'edit' | 'revoke', row: Listed) => void,
): Column<Listed> {
  const button = (row: Listed, what: 'edit' | 'revoke', text: string) => (
    <Button kind="quiet" label={`${text} ${inLine(row.name)}`} onClick={() => open(what, row)}>
      {text}
    </Button>
  );
  return {
    title: 'Actions',
    kind: 'end',
    isQuiet: true,
    cell: (row) =>
      row.revoked_at === null && (
        <>
          {button(row, 'edit', 'Edit')}
          {button(row, 'revoke', 'Revoke')}
        </>
      ),
  };
}
