import { useSignal } from '@preact/signals';
import type { Failure } from './failure.ts';
import { useWork } from './load.ts';
import { Button } from './parts/button.tsx';
import { Field } from './parts/field.tsx';
import { Prose } from './parts/prose.tsx';
import { Loading, Notice } from './parts/states.tsx';
import { Heading } from './parts/heading.tsx';
import { enterWithApiKey, enterWithCode, isEntering, type SignedOut, signedOut } from './session.ts';

const reasons: Readonly<Record<Exclude<SignedOut, 'new'>, { tone: 'info' | 'warn'; text: string }>> = {
  code_refused: {
    tone: 'warn',
    text:
      'The sign-in code in this address is not valid any more, because a code works only once and only for ' +
      'ten minutes. To get a new address, run `npx --no-install @eaas/cli dev --sign-in` beside the server. ' +
      'Or paste an API key.',
  },
  code_unanswered: {
    tone: 'warn',
    text: 'The service did not respond to the sign-in code. The code is still valid.',
  },
  expired: {
    tone: 'warn',
    text: 'The API key has expired or was revoked, and this page has forgotten it. Sign in again to continue.',
  },
  left: { tone: 'info', text: 'You are signed out. This page has forgotten the API key.' },
};

export function SignIn() {
  const apiKey = useSignal('');
  const { failure: found, run } = useWork();
  const failure = found && signInFailure(found);
  if (isEntering.value && apiKey.value === '') return <Loading text="Signing in" />;
  const reason = signedOut.value === 'new' ? undefined : reasons[signedOut.value];

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
      {reason && !failure && (
        <Notice tone={reason.tone}>
          <p>
            <Prose text={reason.text} />
          </p>
          {signedOut.value === 'code_unanswered' && (
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
          error={failure && `${failure.title}. ${failure.advice}`}
          value={apiKey}
        />
        <Button kind="primary" type="submit" isBusy={isEntering.value}>
          Sign in
        </Button>
      </form>
    </div>
  );
}

function signInFailure(failure: Failure): Failure {
  if (failure.kind === 'expired')
    return {
      ...failure,
      title: 'The service does not accept this API key',
      advice: 'It is unknown, expired or revoked. Check that you copied all of it.',
    };
  if (failure.kind !== 'refused') return failure;
  return {
    ...failure,
    title: 'This is not an API key',
    advice: 'An API key begins with eaas_sk_ and has 57 characters.',
  };
}
