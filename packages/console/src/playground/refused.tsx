import { DecryptionError, FormatError, ServiceError } from '@eaas/sdk';
import { failureOf } from '../failure.ts';
import { FailureView } from '../parts/states.tsx';
import { type Recorded, refusedBy } from './exchanges.ts';

type Failed = Extract<Recorded<unknown>, { readonly ok: false }>;

const who = {
  page_before: 'This page refused it before it asked the service.',
  service: 'The service refused to unwrap the data key.',
  page_after: 'The service unwrapped the data key and recorded that. This page then refused the value.',
} as const;

export function Refused({ outcome }: { readonly outcome: Failed }) {
  const { error, exchanges } = outcome;
  const isRefusal = error instanceof DecryptionError || error instanceof FormatError;
  const isBusiness =
    error instanceof ServiceError && ['not_found', 'key_state', 'subject_erased'].includes(error.code);
  if (!isRefusal && !isBusiness) return <FailureView failure={failureOf(error)} />;
  return (
    <div class="refusal" role="status">
      <h3>
        Refused <code>{error.name}</code>
      </h3>
      <p>{who[refusedBy(exchanges)]}</p>
      <p class="soft">
        <code>{error.message}</code>
      </p>
    </div>
  );
}
