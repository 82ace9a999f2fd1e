import { readFile } from 'node:fs/promises';
import { parseUuid } from '@eaas/protocol';
import type { Output } from '@eaas/protocol/wire';
import { Refusal } from '../refusal.ts';
import { requireTenant } from '../operations/tenants.ts';
import { verifyChain } from '../operations/verify/verify-chain.ts';
import { shownVerification } from '../operations/verify-audit.ts';
import type { Service } from '../service.ts';
import { listChains } from '../store/tenants.ts';
import { reporting, withService } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { WrongUsage } from './failure.ts';
import { inLine, note, printJson } from './output.ts';
import { progress } from './progress.ts';

interface Options {
  readonly tenant?: string;
  readonly checkpointFile?: string;
  readonly json?: true;
}

/** What GET /v1/audit/verify would answer, with whose log it is. The name is null where the tenant's row is gone. */
type Verified = Output<'GET /v1/audit/verify'> & { readonly tenant_id: string; readonly name: string | null };

/** `eaas audit verify`. */
export const auditVerify = reporting(
  'verify',
  'Verify audit logs, and every row that they account for. Without --tenant those of all tenants. Only reads, and names ' +
    'what does not hold.',
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
      const results: Verified[] = [];
      for (const one of await whose(service, options.tenant)) {
        const result = await verify(service, one, checkpoint);
        if (!result) continue;
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

interface Whose {
  readonly tenant_id: string;
  readonly name: string | null;
}

/** A tenant whose row was removed is still one to verify, by its id. */
async function whose(service: Service, idOrName: string | undefined): Promise<readonly Whose[]> {
  if (idOrName === undefined) return service.database.run(listChains, 10_000);
  const tenantId = parseUuid(idOrName);
  const all = tenantId === undefined ? [] : await service.database.run(listChains, 10_000);
  const named = all.filter(({ tenant_id }) => tenant_id === tenantId);
  return named.length > 0 ? named : [(await requireTenant(service, idOrName)).tenant];
}

/** Undefined for a tenant that was destroyed meanwhile. */
async function verify(
  service: Service,
  { tenant_id, name }: Whose,
  checkpoint: string | undefined,
): Promise<Verified | undefined> {
  const show = progress(`verifying ${name ?? tenant_id}`);
  const enough = (checked: number, last: number): boolean => {
    show(checked, last);
    return false;
  };
  try {
    const verification = await verifyChain(service, tenant_id, { checkpoint, enough });
    return { tenant_id, name, ...shownVerification(verification, service.clock()) };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return undefined;
    throw error;
  }
}

function show(result: Verified, { json }: Options): void {
  if (json) return printJson(result);
  const { tenant_id, name, checked, head, errors, error_count: count } = result;
  const label = name === null ? tenant_id : `${inLine(name)} (${tenant_id})`;
  const verdict = result.valid ? 'valid' : 'BROKEN';
  process.stdout.write(`${label}: ${verdict}, ${checked} entries checked, head ${head.id}\n`);
  for (const { id, reason } of errors)
    process.stdout.write(`  ${id === null ? '' : `entry ${id}: `}${reason}\n`);
  if (count > errors.length) note(`${count - errors.length} more are not shown.`);
}
