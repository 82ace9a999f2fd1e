// Verifies the whole chain in the browser with `@eaas/audit`. A second verification also compares it with what the first one saw.
import { type Signal, useSignal } from '@preact/signals';
import { type AuditFindingCode, type AuditReport, type AuditState, checkAudit } from '@eaas/audit';
import type { EaasClient } from '@eaas/sdk';
import { useWork } from '../load.ts';
import { Button } from '../parts/button.tsx';
import { Inline } from '../parts/code.tsx';
import { counted, sentence } from '../parts/texts.ts';
import { FailureView, Notice } from '../parts/states.tsx';
import { signedIn } from '../session.ts';

interface AuditVerifyProps {
  readonly report: Signal<AuditReport | undefined>;
  readonly onShow: (id: number) => void;
}

interface Progress {
  readonly id: number;
  readonly through: number | null;
}

const states = new WeakMap<EaasClient, AuditState>();

export function AuditVerify({ report, onShow }: AuditVerifyProps) {
  const { client } = signedIn();
  const progress = useSignal<Progress | undefined>(undefined);
  const { isBusy, failure, run } = useWork();

  const verify = () =>
    run(async (signal) => {
      report.value = undefined;
      progress.value = undefined;
      const onProgress = ({ id, through }: Progress): void => {
        progress.value = { id, through };
      };
      const found = await checkAudit(client, { state: states.get(client), full: true, onProgress, signal });
      if (found.state) states.set(client, found.state);
      report.value = found;
    });

  return (
    <section class="card stack" aria-labelledby="verify-title">
      <div class="spread">
        <div>
          <h2 id="verify-title">Verify the chain in this browser</h2>
          <p class="soft">
            Your browser reads every entry, recomputes its hash, and compares the last hash with a checkpoint
            that the service signs. This page also comes from the service. If you do not trust the service,
            run <code>checkAudit</code> of @eaas/audit, or export the log and run{' '}
            <Inline code="npx --no-install @eaas/cli audit verify-file" />, on your own machine.
          </p>
        </div>
        <Button kind="primary" isBusy={isBusy} onClick={() => void verify()}>
          {report.value ? 'Verify again' : 'Verify'}
        </Button>
      </div>
      {isBusy && progress.value && <Bar {...progress.value} />}
      <div aria-live="polite">
        {failure && <FailureView failure={failure} onRetry={() => void verify()} />}
        <Verdict report={report} onShow={onShow} />
      </div>
    </section>
  );
}

function Bar({ id, through }: Progress) {
  return (
    <div class="small">
      <label for="verified">
        {id.toLocaleString('en')} of {counted(through ?? id, 'entry', 'entries')}
      </label>
      <progress id="verified" max={through ?? id} value={id} />
    </div>
  );
}

function Verdict({ report: { value }, onShow }: AuditVerifyProps) {
  if (!value) return null;
  const { ok, findings, checked, state, checkpoint } = value;
  if (ok) {
    return (
      <Notice tone="good">
        <p>
          <strong>The chain holds.</strong> {counted(checked, 'entry', 'entries')} recomputed, up to entry{' '}
          {checkpoint?.id.toLocaleString('en')}
          {state &&
            state.start.id > 0 &&
            `, from entry ${state.start.id + 1}, because all earlier entries were purged`}
          .
        </p>
        {state && (
          <p class="soft">
            Signed by <code>{state.verifier_key}</code>. Compare this key with the verifier key that your
            operator gave you.
          </p>
        )}
      </Notice>
    );
  }
  return (
    <Notice tone="bad">
      <p>
        <strong>The chain does not hold.</strong> {counted(findings.length, 'finding')}, after{' '}
        {counted(checked, 'entry', 'entries')}.
      </p>
      <ul class="stack">
        {findings.slice(0, 10).map(({ code, id, message }, index) => (
          <li key={index} class="spread">
            <span>
              <strong>{findingTitles[code]}</strong> {sentence(message)}
            </span>
            {id !== null && (
              <Button kind="quiet" onClick={() => onShow(id)}>
                Show entry {id}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {findings.length > 10 && <p>And {findings.length - 10} more.</p>}
    </Notice>
  );
}

const findingTitles: Readonly<Record<AuditFindingCode, string>> = {
  verifier_key_changed: 'The service signs with a different key than before.',
  checkpoint_invalid: 'The signature of the checkpoint is not valid.',
  rollback: 'The log was restored to an older state.',
  fork: 'An entry changed after it was verified.',
  checkpoint_ahead: 'The log ends before the signed checkpoint.',
  checkpoint_mismatch: 'The entries do not match the signed checkpoint.',
  entry_changed: 'An entry was altered.',
  entry_missing: 'Entries are missing.',
  entry_unexpected: 'An entry is repeated or out of order.',
  time_went_back: 'The time of an entry is before the time of the previous entry.',
  contradiction: 'An entry contradicts what the log said before.',
  purged_unread: 'Entries were purged before they were verified.',
  service_verification_failed: 'The verification by the service failed.',
  proof_mismatch: 'The public log had another entry.',
  proof_invalid: 'The newest proof is not valid.',
  proof_unwitnessed: 'Too few witnesses have seen the log lately.',
  proof_missing: 'The service has no proof any more.',
};
