// One key: what it may do now, its facts, its actions, its public key and its versions.
import { inLine } from '@eaas/protocol/internal';
import { useSignal } from '@preact/signals';
import { useLoaded } from '../load.ts';
import { Copy } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { Link } from '../parts/link.tsx';
import { Once } from '../parts/once.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Notice } from '../parts/states.tsx';
import { dateTime } from '../parts/times.ts';
import { When } from '../parts/when.tsx';
import { signedIn } from '../session.ts';
import { KeyActions } from './key-actions.tsx';
import type { KeyRecord } from '@eaas/sdk';
import { KeyStatusBadge } from './key-status.tsx';
import { KeyVersions } from './key-versions.tsx';
import { PublicKey } from './public-key.tsx';
import { rotationText } from './rotation.ts';

const size = 100;

export function Key({ keyId }: { readonly keyId: string }) {
  const { keys } = signedIn().client;
  const offset = useSignal(0);
  const loaded = useLoaded(
    (signal) => keys.get(keyId, { limit: size, offset: offset.value }, { signal }),
    [keyId, offset.value],
  );
  const { value, reload } = loaded;
  return (
    <>
      <p class="small">
        <Link to={{ page: 'keys' }}>Keys</Link>
      </p>
      <PageHead
        title={value ? inLine(value.name) : 'Key'}
        lead={
          <>
            <code>{keyId}</code> <Copy text={keyId} of="the key id" />
          </>
        }
        action={value && <KeyStatusBadge status={value.status} />}
      />
      <Once loaded={loaded} text="Loading the key" needs="keys.read">
        {(record) => (
          <>
            <StateNotice record={record} />
            <Facts of={factsOf(record)} />
            <KeyActions record={record} onChanged={reload} />
            <PublicKey record={record} onRetry={reload} />
            <KeyVersions
              record={record}
              size={size}
              onMove={(to) => {
                offset.value = to;
              }}
            />
          </>
        )}
      </Once>
    </>
  );
}

function StateNotice({ record: { status, destroy_at } }: { readonly record: KeyRecord }) {
  if (status === 'disabled') return <Notice tone="warn">It still decrypts. It does not encrypt.</Notice>;
  if (status === 'destroyed') {
    return (
      <Notice tone="info">
        The material of the key was erased. Values that it encrypted can never be decrypted again.
      </Notice>
    );
  }
  if (status === 'active') return null;
  return (
    <Notice tone="bad">
      It is destroyed on {destroy_at === null ? 'a later date' : dateTime(destroy_at)}. It cannot encrypt or
      decrypt. Until then it can be restored.
    </Notice>
  );
}

function factsOf(record: KeyRecord) {
  const { key_version, rotation_policy, next_rotation_at, rotated_at, created_at } = record;
  return {
    'Newest version': key_version,
    Rotation: rotationText(rotation_policy?.interval_days),
    'Next rotation': <When time={next_rotation_at} none="not planned" />,
    'Last rotated': <When time={rotated_at} />,
    Created: <When time={created_at} />,
    Export: record.exportable ? 'allowed' : 'never',
    'Intake key': record.intake ? 'yes' : 'no',
  };
}
