import { useSignal } from '@preact/signals';
import type { EaasClient } from '@eaas/sdk';
import { useLoaded } from '../load.ts';
import { Copy } from '../parts/copy.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { FailureView, LoadingRows, Notice } from '../parts/states.tsx';
import { dateTime } from '../parts/times.ts';
import { When } from '../parts/when.tsx';
import { session } from '../session.ts';
import { KeyActions } from './key-actions.tsx';
import { type KeyRecord, KeyStatusBadge } from './key-status.tsx';
import { KeyVersions } from './key-versions.tsx';
import { rotationText } from './rotation.ts';

const size = 100;

/** One key: its state, its versions, and what can be done with it. */
export function Key({ keyId }: { readonly keyId: string }) {
  const client = session.value?.client;
  return client ? <Shown client={client} keyId={keyId} /> : null;
}

function Shown({ client, keyId }: { readonly client: EaasClient; readonly keyId: string }) {
  const offset = useSignal(0);
  const { value, failure, reload } = useLoaded(
    (signal) => client.keys.get({ key_id: keyId, limit: size, offset: offset.value }, { signal }),
    [keyId, offset.value],
  );
  return (
    <>
      <p class="crumbs">
        <Link to={{ page: 'keys' }}>Keys</Link>
      </p>
      <div class="page-head">
        <div>
          <Heading>{value?.name ?? 'Key'}</Heading>
          <p class="lead id">
            <code>{keyId}</code>
            <Copy text={keyId} of="the key id" />
          </p>
        </div>
        {value && <KeyStatusBadge status={value.status} />}
      </div>
      {!value && !failure && <LoadingRows text="Loading the key" />}
      {failure && <FailureView failure={failure} onRetry={reload} />}
      {value && !failure && (
        <>
          <StateNotice record={value} />
          <Facts record={value} />
          <KeyActions client={client} record={value} onChanged={reload} />
          <KeyVersions record={value} size={size} onMove={(to) => (offset.value = to)} />
        </>
      )}
    </>
  );
}

/** The effect of a key's state on the values under it. */
function StateNotice({ record: { status, destroy_at } }: { readonly record: KeyRecord }) {
  if (status === 'disabled')
    return <Notice tone="warn">It still decrypts. It does not encrypt, and nothing new can use it.</Notice>;
  if (status === 'destroyed')
    return <Notice tone="info">Its material is gone. Values under it can never be decrypted again.</Notice>;
  if (status === 'active') return null;
  return (
    <Notice tone="bad">
      It is destroyed on {destroy_at === null ? 'a date to come' : dateTime(destroy_at)}. It encrypts and
      decrypts nothing. Until then it can be restored.
    </Notice>
  );
}

function Facts({ record }: { readonly record: KeyRecord }) {
  const { key_version, rotation_policy, next_rotation_at, rotated_at, created_at, exportable } = record;
  return (
    <dl class="facts">
      <div>
        <dt>Newest version</dt>
        <dd>{key_version}</dd>
      </div>
      <div>
        <dt>Rotation</dt>
        <dd>{rotationText(rotation_policy?.interval_days)}</dd>
      </div>
      <div>
        <dt>Next rotation</dt>
        <dd>
          <When time={next_rotation_at} none="not planned" />
        </dd>
      </div>
      <div>
        <dt>Last rotated</dt>
        <dd>
          <When time={rotated_at} />
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <When time={created_at} />
        </dd>
      </div>
      <div>
        <dt>Export</dt>
        <dd>{exportable ? 'allowed' : 'never'}</dd>
      </div>
    </dl>
  );
}
