// What a person sees who is not signed in: the form for an API key, and why the last session ended.
import { useSignal } from '@preact/signals';
import type { Failure } from './failure.ts';
import { useWork } from './load.ts';
import { Button } from './parts/button.tsx';
import { Field } from './parts/field.tsx';
import { Prose } from './parts/prose.tsx';
import { Loading, Notice } from './parts/states.tsx';
import { Heading } from './parts/heading.tsx';
import { enterWithApiKey, enterWithCode, isEntering, type SignedOut, signedOut } from './session.ts';

const reasons: Readonly<Record<Exclude<SignedOut, 'new'>, string>> = {
  code_refused:
    'The sign-in code in this address is not valid any more, because a code works only once and only for ' +
    'ten minutes. To get a new address, run `npx --no-install @eaas/cli dev --sign-in` beside the server. ' +
    'Or paste an API key.',
  code_unanswered: 'The service did not respond to the sign-in code. The code is still valid.',
  expired:
    'The API key has expired or was revoked, and this page has forgotten it. Sign in again to continue.',
  left: 'You are signed out. This page has forgotten the API key.',
};

export function SignIn() {
  const apiKey = useSignal('');
  const { failure, isBusy, run } = useWork();
  if (isEntering.value) return <Loading text="Signing in" />;
  const { value: why } = signedOut;

  return (
    <div class="sign-in stack">
      <Heading>Sign in</Heading>
      <p class="lead">
        Paste an API key of your tenant. In development, <code>npm start</code> prints an address that signs
        you in.
      </p>
      {!isSecureContext && (
        <Notice tone="bad">
          Browsers encrypt only on pages from <code>https:</code> or from this machine. Open this page by one
          of these.
        </Notice>
      )}
      {why !== 'new' && !failure && (
        <Notice tone={why === 'left' ? 'info' : 'warn'}>
          <p>
            <Prose text={reasons[why]} />
          </p>
          {why === 'code_unanswered' && (
            <Button onClick={() => void enterWithCode()}>Try the code again</Button>
          )}
        </Notice>
      )}
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => enterWithApiKey(apiKey.value));
        }}
      >
        <Field
          label="API key"
          type="password"
          placeholder="eaas_sk_…"
          required
          hint="It stays in the memory of this page. Closing or reloading the page forgets it."
          error={failure && faultOf(failure)}
          value={apiKey}
        />
        <Button kind="primary" type="submit" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
    </div>
  );
}

function faultOf({ kind, title, advice }: Failure): string {
  if (kind === 'expired') {
    return 'The service does not accept this API key. It is unknown, expired or revoked. Check that you copied all of it.';
  }
  if (kind === 'refused') {
    return 'This is not an API key. An API key begins with eaas_sk_ and has 57 characters.';
  }
  return `${title}. ${advice}`;
}
