// All commands of `eaas audit`. Two are made here: `export`, and `acknowledge-restore`.
import { progressLine } from '@eaas/protocol/internal';
import {
  acknowledgeRestore,
  asWord,
  listTenants,
  Refusal,
  requireTenantId,
  type Service,
} from '@eaas/server/internal';
import { auditEvidence } from './audit-evidence.ts';
import { auditFollow } from './audit-follow.ts';
import { auditProve } from './audit-proof.ts';
import { auditReplay } from './audit-replay.ts';
import { auditVerify } from './audit-verify.ts';
import { auditVerifyFile } from './audit-verify-file.ts';
import { callsOf } from './calls.ts';
import { onTenant, type Operator, Option, reporting, withService, withTenant } from './command.ts';
import { openExportFile } from './export-file.ts';
import { WrongUsage } from './kit/index.ts';
import { entriesAfter, lastBefore, type Position } from './next-entries.ts';
import { next, note, printResult, type Reporting, write } from './output.ts';
import { conflict } from './refusal.ts';
import { month, wholeNumber } from './values.ts';

const exportLog = onTenant(
  'export',
  "Write a tenant's audit log as lines of JSON, oldest entry first. Each line is an entry as the API returns it.",
  [
    'audit export --tenant acme --out acme.ndjson',
    'audit export --tenant acme --month 2026-10 > october.ndjson',
    'audit export --tenant acme --from-id 1000 > new.ndjson',
  ],
)
  .addOption(
    new Option('--month <month>', 'only the entries of this month, in UTC, such as 2026-10')
      .argParser(month)
      .conflicts('fromId'),
  )
  .option('--from-id <number>', 'the id of the first entry to write (default: the oldest entry)', wholeNumber)
  .option('--out <file>', 'write to this file; if it already has an export, append the new entries')
  .action(async (options) => {
    const { fromId = 1, month: of, out } = options;
    const written = await withTenant(options, async (operator) => {
      const id = of ? await lastBefore(operator, of.since) : Math.max(0, fromId - 1);
      const first = { id, hash: null };
      if (out === undefined) return copy(operator, first, write, of?.until);
      const file = await openExportFile(out);
      try {
        return await copy(operator, file.last ?? first, file.append, of?.until);
      } finally {
        await file.close();
      }
    });
    if (out === undefined) note(`${written} entries written.`);
    else printResult({ file: out, written }, options);
  });

async function copy(
  { service, tenantId }: Operator,
  after: Position,
  write: (lines: string) => Promise<void>,
  until = Number.POSITIVE_INFINITY,
): Promise<number> {
  const line = progressLine();
  let written = 0;
  try {
    for await (const { entries, head, purgedTo } of entriesAfter(service, tenantId, after)) {
      if (purgedTo !== undefined && after.hash !== null) {
        throw conflict(
          `The file ends with entry ${after.id}, and entries up to ${purgedTo} were purged since then: export to a new file.`,
        );
      }
      const kept = entries.filter(({ created_at }) => Date.parse(created_at) < until);
      await write(kept.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      written += kept.length;
      if (kept.length < entries.length) break;
      line.show(entries.at(-1)?.id ?? 0, head, `exported ${written} entries`);
    }
    return written;
  } finally {
    line.clear();
  }
}

const acknowledge = reporting(
  'acknowledge-restore',
  "Record in a tenant's log that it was restored from a backup, and why. Checkpoints from after the backup no longer " +
    'match the log, and the entry explains that to the tenant.',
  [
    'audit acknowledge-restore --tenant acme --reason "disk failure, backup of 2026-11-19"',
    'audit acknowledge-restore --all --reason "disk failure, backup of 2026-11-19"',
  ],
)
  .addOption(new Option('--tenant <tenant>', "the tenant's id or name").conflicts('all'))
  .option('--all', 'in the logs of all tenants')
  .requiredOption('--reason <text>', 'what happened, in words that the tenant can read')
  .action(async (options) => {
    const { tenant, all } = options;
    if (tenant === undefined && !all) {
      throw new WrongUsage('Name a tenant with --tenant, or pass --all for the logs of all tenants.');
    }
    const unrecorded = await withService(async ({ service }) => {
      const tenantIds =
        tenant === undefined
          ? (await listTenants(service)).map((found) => found.tenant.tenant_id)
          : [await requireTenantId(service, tenant)];
      if (tenantIds.length === 0) note('There are no tenants.');
      return acknowledgeIn(service, tenantIds, options);
    });
    if (unrecorded.length > 0) {
      throw conflict(
        `The restore could not be recorded for ${unrecorded.join(', ')}: run it again with --tenant for each, after you have found out why.`,
      );
    }
    const place = tenant === undefined ? 'TENANT` for each tenant' : `${asWord(tenant)}\``;
    next(`\`eaas audit checkpoint --tenant ${place}, and give the output to the tenant`, options);
  });

/** Records the restore for one tenant after the other. Returns those for which it failed, if it was not the only one. */
async function acknowledgeIn(
  service: Service,
  tenantIds: readonly string[],
  options: Reporting & { readonly reason: string },
): Promise<string[]> {
  const unrecorded: string[] = [];
  for (const tenantId of tenantIds) {
    try {
      printResult(await acknowledgeRestore(service, tenantId, options.reason), options);
    } catch (error) {
      const isOnly = tenantIds.length === 1;
      if (isOnly || !(error instanceof Refusal)) throw error;
      note(`${tenantId}: ${error.message}`);
      unrecorded.push(tenantId);
    }
  }
  return unrecorded;
}

export const auditCommands = [
  auditFollow,
  auditVerify,
  auditVerifyFile,
  exportLog,
  auditEvidence,
  ...callsOf('audit'),
  auditProve,
  auditReplay,
  acknowledge,
];
