import type { KeyRecord } from '../console/key-status.tsx';
import { useLoaded, useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { session, type Session } from '../session.ts';
import { BlindStep } from './blind-step.tsx';
import { IntakeStep } from './intake-step.tsx';
import { LiveAudit } from './live-audit.tsx';
import { EraseStep } from './erase-step.tsx';
import { DecryptStep, FlipStep, MoveStep } from './opening-steps.tsx';
import { formKeyName, keyName, type OwnKeys, unusableOf } from './own-keys.ts';
import { findPlay, isPlay, type Play, startPlay } from './play.ts';
import { RotateStep } from './rotate-step.tsx';
import { SealingSteps } from './sealing-steps.tsx';
import { SearchStep } from './search-step.tsx';

export function Playground() {
  const { value } = session;
  return value ? <SignedIn session={value} /> : null;
}

function SignedIn({ session }: { readonly session: Session }) {
  const { value: found, failure, isLoading, reload } = useLoaded(() => findPlay(session), [session]);
  return (
    <div class="playground">
      <div class="intro">
        <Heading title="Playground">See the whole idea in two minutes</Heading>
        <p class="lead">
          Your application encrypts. The service keeps the keys and records every use. Each step below runs
          for real, against this service, with the code that is shown. The steps use two keys of their own,{' '}
          <code>{keyName}</code> and <code>{formKeyName}</code>, and no other key.
        </p>
      </div>
      {failure && <PageFailure failure={failure} needs="keys.read" onRetry={reload} />}
      {!found && !failure && isLoading && <Loading text="Looking for the keys of the playground" />}
      {found &&
        !failure &&
        (isPlay(found) ? <Steps play={found} /> : <Ask {...{ session, found, reload }} />)}
    </div>
  );
}

export function Steps({ play }: { readonly play: Play }) {
  return (
    <div class="two">
      <div class="steps">
        <SealingSteps play={play} />
        <DecryptStep play={play} />
        <SearchStep play={play} />
        <BlindStep play={play} />
        <FlipStep play={play} />
        <MoveStep play={play} />
        <IntakeStep play={play} />
        <EraseStep play={play} />
        <RotateStep play={play} />
      </div>
      <LiveAudit play={play} />
    </div>
  );
}

interface AskProps {
  readonly session: Session;
  readonly found: OwnKeys;
  readonly reload: () => void;
}

function Ask({ session, found, reload }: AskProps) {
  const { isBusy, failure, run } = useWork();
  const unusable = unusableOf(found);
  if (unusable) return <Unusable record={unusable} onRetry={reload} />;
  const existing = [found.key, found.form].flatMap((key) => key?.name ?? []);
  const missing = [keyName, formKeyName].filter((name) => !existing.includes(name));
  const start = async (): Promise<void> => {
    if (await run(() => startPlay(session, found))) reload();
  };
  if (failure) return <PageFailure failure={failure} needs="keys.manage" onRetry={() => void start()} />;
  return (
    <Empty
      title={missing.length > 0 ? 'The playground needs keys of its own' : 'Are these keys the playground’s?'}
      action={
        <Button kind="primary" isBusy={isBusy} busyText="Starting" onClick={() => void start()}>
          {missing.length > 0 ? 'Create the keys' : 'Use the keys'}
        </Button>
      }
    >
      {missing.length > 0 && `It creates ${named(missing)} in this tenant. `}
      {existing.length > 0 &&
        `The tenant already has ${named(existing)}. Continue only if no application uses ${existing.length > 1 ? 'them' : 'it'}. `}
      The playground encrypts under its keys, rotates {keyName} in its last step, and touches no other key.
      One step makes up two people, and erases one of them. The audit log records each use.
    </Empty>
  );
}

const named = (names: readonly string[]): string =>
  `the ${names.length > 1 ? 'keys' : 'key'} ${names.map((name) => `“${name}”`).join(' and ')}`;

interface UnusableProps {
  readonly record: KeyRecord;
  readonly onRetry: () => void;
}

function Unusable({ record: { key_id, name, status }, onRetry }: UnusableProps) {
  return (
    <Empty title={`The playground cannot use ${name}`} action={<Button onClick={onRetry}>Try again</Button>}>
      The tenant’s <Link to={{ page: 'key', keyId: key_id }}>key with this name</Link> {reasons[status]}
    </Empty>
  );
}

const reasons: Readonly<Record<KeyRecord['status'], string>> = {
  active: 'is not of the kind that the playground creates, so somebody else created it.',
  disabled: 'is disabled. Enable it, or destroy it so that the playground can create its own.',
  pending_destruction: 'is being destroyed. Restore and enable it, or wait until it is destroyed.',
  destroyed: 'was destroyed.',
};
