import type { EaasClient } from '@eaas/sdk';
import type { AuditFilter } from './audit-types.ts';

interface ExportOptions {
  readonly filter: AuditFilter;
  readonly actor: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

export async function exportAudit(
  { audit }: Pick<EaasClient, 'audit'>,
  { filter, actor, signal, onProgress }: ExportOptions,
): Promise<Blob> {
  const lines: string[] = [];
  let read = 0;
  for await (const entry of audit.list(filter, { order: 'oldest', signal })) {
    if (actor === undefined || entry.actor === actor) lines.push(`${JSON.stringify(entry)}\n`);
    if (++read % 100 === 0) onProgress(read);
  }
  return new Blob(lines, { type: 'application/x-ndjson' });
}

export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download's URL stays valid for a minute, because the browser might still be reading the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
