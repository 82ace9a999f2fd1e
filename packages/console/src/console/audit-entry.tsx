import { escapeHidden } from '@eaas/protocol/internal';
import type { AuditEntry } from '@eaas/sdk';
import { Code } from '../parts/code.tsx';
import { CopyBox } from '../parts/copy.tsx';
import { ShowDialog } from '../parts/dialog.tsx';

interface AuditEntryProps {
  readonly entry: AuditEntry;
  readonly onClose: () => void;
}

/** Shows an entry of the audit log as the service sent it. */
export function AuditEntryDialog({ entry, onClose }: AuditEntryProps) {
  const { hash, ...rest } = entry;
  return (
    <ShowDialog title={`Entry ${entry.id}`} action="Close" onClose={onClose}>
      <Code
        title="The hash covers these fields and the hash of the previous entry"
        code={escapeHidden(JSON.stringify(rest, null, 2))}
      />
      <CopyBox text={hash} of="the hash" />
    </ShowDialog>
  );
}
