import { once } from 'node:events';
import { exportAudit, requireContinuable } from '../operations/export-audit.ts';
import { requireTenantId } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { openExportFile } from './export-file.ts';
import { note, printResult } from './output.ts';
import { progress } from './progress.ts';
import { wholeNumber } from './values.ts';

interface Options {
  readonly tenant: string;
  readonly fromId?: number;
  readonly out?: string;
  readonly json?: true;
}

/** `eaas audit export`. */
export const auditExport = reporting(
  'export',
  "Write a tenant's audit log as lines of JSON. Oldest entry first, each as the API shows it, with its hash.",
  ['audit export --tenant acme --out acme.ndjson', 'audit export --tenant acme --from-id 1000 > new.ndjson'],
)
  .requiredOption('--tenant <tenant>', "the tenant's id or name")
  .option('--from-id <number>', 'begin with this entry (default: the oldest)', wholeNumber)
  .option('--out <file>', 'write there; an export that is there already is continued')
  .action(async (options: Options) => {
    const exported = await withService(async ({ service }) => {
      const tenantId = await requireTenantId(service, options.tenant);
      const { out, fromId = 1 } = options;
      if (out === undefined) return copy(exportAudit(service, tenantId, fromId), toStandardOutput);
      const file = await openExportFile(out);
      try {
        if (file.last) await requireContinuable(service, tenantId, file.last);
        await file.keepWholeLines();
        const first = file.last ? file.last.id + 1 : fromId;
        return await copy(exportAudit(service, tenantId, first), file.append);
      } finally {
        await file.close();
      }
    });
    if (options.out === undefined) note(`${exported} entries written.`);
    else printResult({ file: options.out, written: exported }, options);
  });

async function copy(
  pages: ReturnType<typeof exportAudit>,
  write: (lines: string) => Promise<void>,
): Promise<number> {
  const show = progress('exporting');
  let written = 0;
  for await (const { entries, last } of pages) {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    await write(lines);
    written += entries.length;
    show(entries.at(-1)?.id ?? 0, last);
  }
  return written;
}

async function toStandardOutput(lines: string): Promise<void> {
  if (!process.stdout.write(lines)) await once(process.stdout, 'drain');
}
