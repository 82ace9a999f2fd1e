import type { EaasClient } from '@eaas/sdk';
import { useLoaded, useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/heading.tsx';
import { PageFailure } from '../parts/page-failure.tsx';
import { Empty, FailureView, Loading } from '../parts/states.tsx';
import { session, type Session } from '../session.ts';
import { BlindStep } from './blind-step.tsx';
import { IntakeStep } from './intake-step.tsx';
import { LiveAudit } from './live-audit.tsx';
import { DecryptStep, FlipStep, MoveStep } from './opening-steps.tsx';
import { playOf } from './play.ts';
import { RotateStep } from './rotate-step.tsx';
import { SealingSteps } from './sealing-steps.tsx';
import { SearchStep } from './search-step.tsx';

export function Playground() {
  const { value } = session;
  return value ? <SignedIn session={value} /> : null;
}

function SignedIn({ session }: { readonly session: Session }) {
  const { value: play, failure, isLoading, reload } = useLoaded(() => playOf(session), [session]);
  return (
    <div class="playground">
      <div class="intro">
        <Heading>See the whole idea in two minutes</Heading>
        <p class="lead">
          Your application encrypts. The service keeps the keys and records every use. Each step below runs
          for real, against this service, with the code that is shown.
        </p>
      </div>
      {failure && <PageFailure failure={failure} needs="keys.read" onRetry={reload} />}
      {!play && !failure && isLoading && <Loading text="Looking for a key to encrypt with" />}
      {!play && !failure && !isLoading && <NoKey client={session.client} onCreated={reload} />}
      {play && (
        <div class="two">
          <div class="steps">
            <SealingSteps play={play} />
            <DecryptStep play={play} />
            <SearchStep play={play} />
            <BlindStep play={play} />
            <FlipStep play={play} />
            <MoveStep play={play} />
            <IntakeStep play={play} />
            <RotateStep play={play} />
          </div>
          <LiveAudit play={play} />
        </div>
      )}
    </div>
  );
}

/** Asks the user before a key is created, because the tenant might be in production. */
function NoKey({ client, onCreated }: { readonly client: EaasClient; readonly onCreated: () => void }) {
  const { isBusy, failure, run } = useWork();
  const create = async (): Promise<void> => {
    if (await run(() => client.keys.create({ name: 'playground' }))) onCreated();
  };
  if (failure) return <FailureView failure={failure} onRetry={() => void create()} />;
  return (
    <Empty
      title="There is no key to encrypt with"
      action={
        <Button kind="primary" isBusy={isBusy} busyText="Creating" onClick={() => void create()}>
          Create the key “playground”
        </Button>
      }
    >
      The tenant has no active key. The playground encrypts under one, and rotates it in its last step.
    </Empty>
  );
}
