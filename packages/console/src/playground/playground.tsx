// The page with the steps. In a tenant that is not for development, it asks before it creates or uses its key.
import type { KeyRecord } from '@eaas/sdk';
import { useLoaded, useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { Once } from '../parts/once.tsx';
import { Empty, FailureView } from '../parts/states.tsx';
import { signedIn } from '../session.ts';
import { keyName, type OwnKey, unusableOf } from './own-key.ts';
import { findPlay, isPlay, startPlay } from './play.ts';
import { Steps } from './steps.tsx';

export function Playground() {
  const loaded = useLoaded(() => findPlay(signedIn()), []);
  return (
    <>
      <div class="page-head">
        <Heading title="Playground">See the whole idea in two minutes</Heading>
        <p class="lead">
          Your application encrypts. The service keeps the keys and records every use. Each of the five steps
          runs for real, against this service, with the code that is shown. They use a key of their own,{' '}
          <code>{keyName}</code>, and no other key.
        </p>
      </div>
      <Once loaded={loaded} text="Looking for the key of the playground" needs="keys.read">
        {(found) => (isPlay(found) ? <Steps play={found} /> : <Ask found={found} reload={loaded.reload} />)}
      </Once>
    </>
  );
}

interface AskProps {
  readonly found: OwnKey;
  readonly reload: () => void;
}

function Ask({ found, reload }: AskProps) {
  const { isBusy, failure, run } = useWork();
  const unusable = unusableOf(found);
  if (unusable) {
    return (
      <Empty
        title={`The playground cannot use ${unusable.name}`}
        action={<Button onClick={reload}>Try again</Button>}
      >
        The tenant’s <Link to={{ page: 'key', keyId: unusable.key_id }}>key with this name</Link>{' '}
        {reasons[unusable.status]}
      </Empty>
    );
  }
  const start = async (): Promise<void> => {
    if (await run(() => startPlay(signedIn(), found))) reload();
  };
  if (failure) return <FailureView failure={failure} needs="keys.manage" onRetry={() => void start()} />;
  return (
    <Empty
      title={found.key ? 'Is this key the playground’s?' : 'The playground needs a key of its own'}
      action={
        <Button kind="primary" isBusy={isBusy} onClick={() => void start()}>
          {found.key ? 'Use the key' : 'Create the key'}
        </Button>
      }
    >
      {found.key
        ? `The tenant already has the key “${keyName}”. Continue only if no application uses it. `
        : `It creates the key “${keyName}” in this tenant. `}
      The playground encrypts under this key, rotates it, and touches no other key. It makes up two people,
      and erases one of them. The audit log records each use.
    </Empty>
  );
}

const reasons: Readonly<Record<KeyRecord['status'], string>> = {
  active: 'is not of the kind that the playground creates, so somebody else created it.',
  disabled: 'is disabled. Enable it, or destroy it so that the playground can create its own.',
  pending_destruction: 'is being destroyed. Restore and enable it, or wait until it is destroyed.',
  destroyed: 'was destroyed.',
};
