// The audit log beside the steps, with the verdict on its chain and the code that follows it.
import type { AuditEntry, AuditReport } from '@eaas/audit';
import { Code } from '../parts/code.tsx';
import { counted, sentence, short } from '../parts/texts.ts';
import { Notice } from '../parts/states.tsx';
import { clockTime } from '../parts/times.ts';
import { useAuditLog } from './follow.ts';
import type { Play } from './play.ts';
import { snippets } from './snippets.ts';

export function LiveAudit({ play }: { readonly play: Play }) {
  const log = useAuditLog(play.session.client);
  return (
    <>
      <LiveBar {...log} />
      <aside class="card stack live" id="live" aria-labelledby="live-title">
        <h2 id="live-title">Audit log, live</h2>
        <p class="soft small">
          Every use of a key is an entry. Each entry has a hash over its content and the previous hash.
        </p>
        <Chain {...log} />
        {/* `tabIndex` makes the list focusable, so that users can scroll a long list with the keyboard. */}
        <div class="entries" role="log" aria-label="Newest entries of the audit log" tabIndex={0}>
          <ol>
            {log.entries.map((entry) => (
              <Entry key={entry.id} entry={entry} report={log.report} />
            ))}
          </ol>
        </div>
        <details>
          <summary>The code that follows the log</summary>
          <Code title="Audit" code={snippets.audit} />
        </details>
      </aside>
    </>
  );
}

type Log = ReturnType<typeof useAuditLog>;

/** A link to the log with its newest entry, for narrow screens, where the log is far below the steps. */
function LiveBar({ entries: [newest], report }: Log) {
  return (
    <a class="card row small live-bar" href="#live" onClick={showLog}>
      <span class="soft">Audit log</span>
      <strong>{newest ? `${newest.id} ${newest.action}` : 'empty'}</strong>
      {report?.ok && (
        <span class="badge good" role="img" aria-label="The chain holds">
          ✓
        </span>
      )}
      {report?.ok === false && <span class="badge bad">broken</span>}
      <span aria-hidden="true">↓</span>
    </a>
  );
}

/** Scrolls to the log, because a fragment cannot name an element of a shadow root. */
function showLog(event: MouseEvent): void {
  const root = (event.currentTarget as Element).getRootNode();
  if (!(root instanceof ShadowRoot)) return;
  event.preventDefault();
  root.getElementById('live')?.scrollIntoView();
}

function Chain({ entries, report, failure }: Log) {
  const finding = report?.findings[0];
  if (finding) return <Notice tone="bad">The chain breaks. {sentence(finding.message)}</Notice>;
  if (failure?.kind === 'forbidden') {
    return <Notice tone="info">This API key may not read the audit log (audit.read).</Notice>;
  }
  if (failure) return <Notice tone="warn">{failure.title}. Trying again.</Notice>;
  if (!report) return <p class="soft">Reading the log…</p>;
  const { id } = report.checkpoint ?? {};
  if (!id) return <p class="soft">The log is empty. Encrypt a value to see its first entry.</p>;
  return (
    <p class="small">
      <span class="badge good" aria-hidden="true">
        ✓
      </span>{' '}
      {counted(entries.length, 'entry', 'entries')} recomputed in this page, up to {id}. The chain holds.
    </p>
  );
}

function Entry({ entry, report }: { readonly entry: AuditEntry; readonly report: AuditReport | undefined }) {
  const { id, action, key_version, created_at, hash } = entry;
  const isBroken = report?.findings.some((finding) => finding.id === id) ?? false;
  return (
    <li class={isBroken ? 'small bad' : 'small'}>
      <span class="soft">{id}</span>
      <span>
        <strong>{action}</strong>
        {key_version !== null && <span class="soft"> v{key_version}</span>}
      </span>
      <time class="soft" dateTime={created_at}>
        {clockTime(created_at)}
      </time>
      <code class="soft">{short(hash, 12)}</code>
    </li>
  );
}
