import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import { useLoaded } from '../load.ts';
import { Copy } from '../parts/copy.tsx';
import { Fact } from '../parts/fact.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { Loading, Notice } from '../parts/states.tsx';
import { dateTime } from '../parts/times.ts';
import { When } from '../parts/when.tsx';
import type { PageProps } from '../session.ts';
import { KeyActions } from './key-actions.tsx';
import { type KeyRecord, KeyStatusBadge } from './key-status.tsx';
import { KeyVersions } from './key-versions.tsx';
import { PublicKey } from './public-key.tsx';
import { rotationText } from './rotation.ts';

const size = 100;

export function Key({ session: { client }, keyId }: PageProps & { readonly keyId: string }) {
  const offset = useSignal(0);
  const { value, failure, reload } = useLoaded(
    (signal) => client.keys.get({ key_id: keyId, limit: size, offset: offset.value }, { signal }),
    [keyId, offset.value],
  );
  return (
    <>
      <p class="crumbs small">
        <Link to={{ page: 'keys' }}>Keys</Link>
      </p>
      <div class="spread page-head">
        <div>
          <Heading>{value ? inLine(value.name) : 'Key'}</Heading>
          <p class="lead id">
            <code>{keyId}</code>
            <Copy text={keyId} of="the key id" />
          </p>
        </div>
        {value && <KeyStatusBadge status={value.status} />}
      </div>
      {!value && !failure && <Loading text="Loading the key" />}
      {failure && <PageFailure failure={failure} needs="keys.read" onRetry={reload} />}
      {value && !failure && (
        <>
          <StateNotice record={value} />
          <Facts record={value} />
          <KeyActions client={client} record={value} onChanged={reload} />
          <PublicKey client={client} record={value} onRetry={reload} />
          <KeyVersions record={value} size={size} onMove={(to) => (offset.value = to)} />
        </>
      )}
    </>
  );
}

function StateNotice({ record: { status, destroy_at } }: { readonly record: KeyRecord }) {
  if (status === 'disabled') return <Notice tone="warn">It still decrypts. It does not encrypt.</Notice>;
  if (status === 'destroyed')
    return (
      <Notice tone="info">
        The material of the key was erased. Values that it encrypted can never be decrypted again.
      </Notice>
    );
  if (status === 'active') return null;
  return (
    <Notice tone="bad">
      It is destroyed on {destroy_at === null ? 'a later date' : dateTime(destroy_at)}. It cannot encrypt or
      decrypt. Until then it can be restored.
    </Notice>
  );
}

function Facts({ record }: { readonly record: KeyRecord }) {
  const { key_version, rotation_policy, next_rotation_at, rotated_at, created_at } = record;
  return (
    <dl class="facts">
      <Fact title="Newest version">{key_version}</Fact>
      <Fact title="Rotation">{rotationText(rotation_policy?.interval_days)}</Fact>
      <Fact title="Next rotation">
        <When time={next_rotation_at} none="not planned" />
      </Fact>
      <Fact title="Last rotated">
        <When time={rotated_at} />
      </Fact>
      <Fact title="Created">
        <When time={created_at} />
      </Fact>
      <Fact title="Export">{record.exportable ? 'allowed' : 'never'}</Fact>
      <Fact title="Intake key">{record.intake ? 'yes' : 'no'}</Fact>
    </dl>
  );
}
