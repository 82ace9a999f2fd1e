import type { EaasClient } from '@eaas/sdk';
import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import { useLoaded, useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Pager } from '../parts/pager.tsx';
import { counted, short } from '../parts/short.ts';
import { Empty, FailureView, Loading } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import type { PageProps } from '../session.ts';
import { actionsColumn, classOf, expiresColumn, permissionsColumn, stateColumn } from './api-key-cells.tsx';
import { stateOf } from './api-key-state.ts';
import { CreateSignIn, EditSignIn } from './edit-sign-in.tsx';
import { ShowSignIn } from './show-sign-in.tsx';
import { type IssuerRecord, whoseData } from './sign-in-draft.ts';

const size = 50;

type Opened = { readonly what: 'show' | 'new' | 'edit' | 'revoke'; readonly issuer: IssuerRecord };
/** Lists leave out the public keys and the required claims. */
type ListedIssuer = Omit<IssuerRecord, 'jwks' | 'require'>;
type Open = (what: Opened['what'], issuer: ListedIssuer) => void;

export function SignIns({ session: { client } }: PageProps) {
  const offset = useSignal(0);
  const isCreating = useSignal(false);
  const opened = useSignal<Opened | undefined>(undefined);
  const { value, failure, isLoading, reload } = useLoaded(
    (signal) => client.issuers.page({ limit: size, offset: offset.value }, { signal }),
    [offset.value],
  );
  const create = (
    <Button kind="primary" onClick={() => (isCreating.value = true)}>
      Accept a sign-in
    </Button>
  );
  const opening = useWork();
  const open: Open = (what, { issuer_id }) =>
    void opening.run(async () => {
      opened.value = { what, issuer: await client.issuers.get({ issuer_id }) };
    });
  const close = (): void => void (opened.value = undefined);
  const done = (): void => {
    close();
    reload();
  };
  const { what, issuer } = opened.value ?? {};

  return (
    <>
      <PageHead
        title="Sign-ins"
        lead={
          'The service accepts the tokens of your app’s own sign-in, so that a user’s page needs no API ' +
          'key. A user’s token opens only this user’s data.'
        }
        action={failure || value?.count === 0 ? undefined : create}
      />
      {failure && <PageFailure failure={failure} needs="api_keys.manage" onRetry={reload} />}
      {opening.failure && <FailureView failure={opening.failure} />}
      {!value && isLoading && <Loading text="Loading the sign-ins" />}
      {value && !failure && value.count === 0 && (
        <Empty title="No sign-ins yet" action={create}>
          If your users sign in with OpenID Connect, or with any signed JWT, name the issuer, its audience and
          its public keys here. See{' '}
          <a href="/docs#createIssuer" target="_blank" rel="noopener">
            issuers in the API reference
          </a>{' '}
          and the page “Your app’s sign-in decides who decrypts” of the manual.
        </Empty>
      )}
      {value && !failure && value.count > 0 && (
        <>
          <Table
            caption="Sign-ins, newest first"
            columns={columnsFor(open)}
            rows={value.issuers}
            keyOf={({ issuer_id }) => issuer_id}
            classOf={classOf}
            isStale={isLoading || opening.isBusy}
          />
          <Pager {...value} size={size} of="sign-ins" onMove={(to) => (offset.value = to)} />
        </>
      )}
      {isCreating.value && (
        <CreateSignIn
          client={client}
          onClose={() => (isCreating.value = false)}
          onDone={(made) => {
            isCreating.value = false;
            opened.value = { what: 'new', issuer: made };
            reload();
          }}
        />
      )}
      {issuer && (what === 'show' || what === 'new') && (
        <ShowSignIn client={client} issuer={issuer} isNew={what === 'new'} onClose={close} />
      )}
      {issuer && what === 'edit' && (
        <EditSignIn client={client} issuer={issuer} onClose={close} onDone={done} />
      )}
      {issuer && what === 'revoke' && (
        <Revoke client={client} issuer={issuer} onClose={close} onDone={done} />
      )}
    </>
  );
}

interface RevokeProps {
  readonly client: EaasClient;
  readonly issuer: IssuerRecord;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Revoke({ client, issuer, onClose, onDone }: RevokeProps) {
  const { issuer_id, name } = issuer;
  return (
    <Confirm
      title={`Revoke ${inLine(name)}`}
      action="Revoke the sign-in"
      busyText="Revoking"
      isDangerous
      {...(stateOf(issuer).text === 'Expired' ? {} : { typed: name })}
      work={() => client.issuers.revoke({ issuer_id })}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        Every token of <span class="strong">{issuer.issuer}</span> for this audience is refused from now on.
        This cannot be undone. Data keys that a page has in memory work for at most five minutes more.
      </p>
    </Confirm>
  );
}

function columnsFor(open: Open): readonly Column<ListedIssuer>[] {
  return [
    {
      title: 'Name',
      cell: (issuer) => (
        <>
          <button class="linklike" type="button" onClick={() => open('show', issuer)}>
            <span class="unseen">Show </span>
            {inLine(issuer.name)}
          </button>
          <code class="soft under">{short(issuer.issuer_id)}</code>
        </>
      ),
    },
    stateColumn,
    {
      title: 'Issuer',
      cell: ({ issuer }) => (
        <span class="issuer" title={issuer}>
          {issuer.replace(/^https:\/\//, '')}
        </span>
      ),
    },
    permissionsColumn('Users may'),
    {
      title: 'On',
      cell: (issuer) => (
        <>
          {whoseData(issuer)}
          <span class="soft under">{counted(issuer.key_ids.length, 'key')}</span>
        </>
      ),
    },
    expiresColumn,
    actionsColumn(
      (issuer) => open('edit', issuer),
      (issuer) => open('revoke', issuer),
    ),
  ];
}
