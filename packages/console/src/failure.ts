// Says in words for a user of the console what failed and what to do. Loading, work and sign-in report by it.
import { EaasError, type SdkError, ServiceError } from '@eaas/sdk';
import { sentence } from './parts/texts.ts';

export interface Failure {
  readonly kind: 'forbidden' | 'expired' | 'away' | 'refused' | 'broken';
  readonly title: string;
  readonly detail: string;
  readonly advice: string;
  readonly requestId?: string | undefined;
}

type Known = Omit<Failure, 'detail' | 'requestId'>;

const away: Known = {
  kind: 'away',
  title: 'The service does not respond',
  advice: 'Check that it is running, then try again. Nothing was lost.',
};
const expired: Known = {
  kind: 'expired',
  title: 'You are signed out',
  advice: 'Sign in with a valid API key.',
};
const forbidden: Known = {
  kind: 'forbidden',
  title: 'This API key may not do that',
  advice:
    'Sign in with an API key that has the permission. An operator creates one with `eaas api-key create`.',
};
const known: Partial<Record<SdkError['code'], Known>> = {
  network: away,
  timeout: away,
  unavailable: away,
  unauthorized: expired,
  closed: expired,
  permission_missing: forbidden,
};

export function failureOf(error: unknown): Failure {
  if (!(error instanceof EaasError)) {
    const detail = error instanceof Error ? error.message : 'The page threw a value that is not an error.';
    return { kind: 'broken', title: 'This page has an error', detail, advice: 'Reload the page.' };
  }
  const requestId = error instanceof ServiceError ? error.requestId : undefined;
  const refused: Known = {
    kind: 'refused',
    title: 'The operation failed',
    advice: error.retryable ? 'Try again in a moment.' : '',
  };
  const { code } = error as SdkError;
  return { ...(known[code] ?? refused), detail: sentence(error.message), requestId };
}
