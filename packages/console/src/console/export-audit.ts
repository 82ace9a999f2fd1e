import type { AuditFilter, EaasClient } from '@eaas/sdk';

interface ExportOptions {
  readonly filter: AuditFilter;
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

export async function exportAudit(
  { audit }: Pick<EaasClient, 'audit'>,
  { filter, signal, onProgress }: ExportOptions,
): Promise<Blob> {
  const lines: string[] = [];
  for await (const entry of audit.list(filter, { order: 'oldest', signal })) {
    lines.push(`${JSON.stringify(entry)}\n`);
    if (lines.length % 100 === 0) onProgress(lines.length);
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
