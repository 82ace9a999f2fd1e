import { readFile } from 'node:fs/promises';
import type { Output } from '@eaas/protocol/wire';
import { Refusal } from '../refusal.ts';
import { listTenants, requireTenant, type TenantRecord } from '../operations/tenants.ts';
import { verifyChain } from '../operations/verify/verify-chain.ts';
import { shownVerification } from '../operations/verify-audit.ts';
import type { Service } from '../service.ts';
import { reporting, withService } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { WrongUsage } from './failure.ts';
import { note, printJson } from './output.ts';
import { progress } from './progress.ts';

interface Options {
  readonly tenant?: string;
  readonly checkpointFile?: string;
  readonly json?: true;
}

/** What `GET /v1/audit/verify` would answer; `failed` where it cannot be computed at all. */
type Verified = { readonly tenant_id: string; readonly name: string } & (
  | Output<'GET /v1/audit/verify'>
  | { readonly valid: false; readonly failed: string }
);

/** `eaas audit verify`. */
export const auditVerify = reporting(
  'verify',
  "Verify tenants' audit chains: every entry, the head, and every row that the log accounts for. Without --tenant all of " +
    'them. Only reads, and names what does not hold.',
  ['audit verify', 'audit verify --tenant acme --checkpoint-file acme.checkpoint', 'audit verify --json'],
)
  .option('--tenant <tenant>', 'only this one, by id or name')
  .option(
    '--checkpoint-file <path>',
    'also check that the log extends this checkpoint, which was kept outside',
  )
  .action(async (options: Options) => {
    const checkpoint = await readCheckpoint(options);
    const verified = await withService(async ({ service }) => {
      const found =
        options.tenant === undefined
          ? await listTenants(service)
          : [await requireTenant(service, options.tenant)];
      const results: Verified[] = [];
      for (const { tenant } of found) {
        const result = await verify(service, tenant, checkpoint);
        show(result, options);
        results.push(result);
      }
      return results;
    });
    if (verified.some(({ valid }) => valid !== true)) process.exitCode = exitCodes.refused;
  });

async function readCheckpoint({ tenant, checkpointFile }: Options): Promise<string | undefined> {
  if (checkpointFile === undefined) return undefined;
  if (tenant === undefined) throw new WrongUsage('A checkpoint is of one tenant: name it with --tenant.');
  const text = await readFile(checkpointFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(`The checkpoint ${checkpointFile} cannot be read (${error.code}).`);
  });
  if (!text.startsWith('{')) return text;
  // What GET /v1/audit/checkpoint and `audit checkpoint --json` answer is as good.
  try {
    return String((JSON.parse(text) as { checkpoint?: unknown }).checkpoint);
  } catch {
    throw new WrongUsage(`The checkpoint ${checkpointFile} is neither a checkpoint nor JSON that has one.`);
  }
}

async function verify(
  service: Service,
  { tenant_id, name }: TenantRecord,
  checkpoint: string | undefined,
): Promise<Verified> {
  const show = progress(`verifying ${name}`);
  const enough = (checked: number, last: number): boolean => {
    show(checked, last);
    return false;
  };
  try {
    const verification = await verifyChain(service, tenant_id, { checkpoint, enough });
    return { tenant_id, name, ...shownVerification(verification, service.clock()) };
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === 'bad_request') throw error;
    // So much is gone that there is nothing to verify by.
    return { tenant_id, name, valid: false, failed: error.message };
  }
}

function show(result: Verified, { json }: Options): void {
  if (json) return printJson(result);
  const label = `${result.name} (${result.tenant_id})`;
  if ('failed' in result) {
    process.stdout.write(`${label}: BROKEN: ${result.failed}\n`);
    return;
  }
  const { checked, head, errors, error_count: count } = result;
  process.stdout.write(
    `${label}: ${count === 0 ? 'valid' : 'BROKEN'}, ${checked} entries checked, head ${head.id}\n`,
  );
  for (const { id, reason } of errors)
    process.stdout.write(`  ${id === null ? '' : `entry ${id}: `}${reason}\n`);
  if (count > errors.length) note(`${count - errors.length} more are not shown.`);
}
