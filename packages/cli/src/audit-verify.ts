// `eaas audit verify`: the operator verifies the logs in the database, and all rows that they describe.
import { printJson, WrongUsage } from './kit/index.ts';
import { parseUuid } from '@eaas/protocol';
import { escapeHidden, inLine } from '@eaas/protocol/internal';
import { listChains, type OpenService, requireTenant, type Service, verifyLog } from '@eaas/server/internal';
import { reporting, withService } from './command.ts';
import { exitCodes } from './failure.ts';
import { readCheckpointFile } from './given-file.ts';
import { note } from './output.ts';
import { ifFound } from './refusal.ts';

type Chain = Awaited<ReturnType<typeof listChains>>[number];

export const auditVerify = reporting(
  'verify',
  'Verify the audit logs, and every row that they describe. Of all tenants, or of one. Changes nothing. The ' +
    'exit code is 0 only if every log is valid, and 1 after a finding.',
  ['audit verify', 'audit verify --tenant acme --checkpoint-file acme.checkpoint', 'audit verify --json'],
)
  .option('--tenant <tenant>', 'verify only this tenant (id or name)')
  .option('--checkpoint-file <path>', 'compare the log with this checkpoint')
  .action(async ({ tenant, checkpointFile, json }) => {
    if (checkpointFile !== undefined && tenant === undefined) {
      throw new WrongUsage('--checkpoint-file needs --tenant, because a checkpoint belongs to one tenant.');
    }
    // If the reader of the output closes the pipe early, the process exits before it has verified all logs. The exit
    // code must then not be 0.
    process.exitCode = exitCodes.cannotStart;
    const named = checkpointFile === undefined ? undefined : readCheckpointFile(checkpointFile);
    const verifyAll = async ({ service }: OpenService) => {
      const chains = await chainsOf(service, tenant);
      if (chains.length === 0) note('No tenant has an audit log yet, so nothing was verified.');
      let isValid = true;
      for (const chain of chains) {
        // A tenant that was destroyed meanwhile has no log that could be broken.
        const found = await ifFound(verify(service, chain, named, json));
        if (found === false) isValid = false;
      }
      return isValid;
    };
    const isValid = await withService(verifyAll, ({ publicLog }) => publicLog !== null);
    process.exitCode = isValid ? exitCodes.ok : exitCodes.refused;
  });

/** A log without a tenant is found by its id. */
async function chainsOf(service: Service, idOrName: string | undefined): Promise<readonly Chain[]> {
  const all = await service.database.run(listChains, 10_000);
  if (idOrName === undefined) return all;
  const found = all.filter(({ tenant_id }) => tenant_id === parseUuid(idOrName));
  return found.length > 0 ? found : [(await requireTenant(service, idOrName)).tenant];
}

type VerifiedLog = Awaited<ReturnType<typeof verifyLog>>;

/** What the command says of a log. The id of a row that was changed in the database can be any text. */
export function verdictOf(
  label: string,
  { valid, checked, head, errors }: Pick<VerifiedLog, 'valid' | 'checked' | 'head' | 'errors'>,
): string {
  const findings = errors.map(({ id, reason }) => {
    const place = id === null ? '' : `entry ${escapeHidden(String(id)).replaceAll('\n', '\\n')}: `;
    return `  ${place}${reason}\n`;
  });
  const verdict = valid ? 'valid' : 'BROKEN';
  return `${label}: ${verdict}, ${checked} entries checked, head ${head.id}\n${findings.join('')}`;
}

/** Returns whether the log is valid. */
async function verify(
  service: Service,
  chain: Chain,
  checkpoint: string | undefined,
  json: true | undefined,
) {
  const { tenant_id, name } = chain;
  const onForgotten = (): void =>
    note(
      `The verification of ${tenant_id} is not complete: its log says more than is kept in memory to compare it with.`,
    );
  const found = await verifyLog(service, tenant_id, { checkpoint, onForgotten });
  if (json) printJson({ tenant_id, name, ...found });
  else {
    const label = name === null ? tenant_id : `${inLine(name)} (${tenant_id})`;
    process.stdout.write(verdictOf(label, found));
    const hidden = found.error_count - found.errors.length;
    if (hidden > 0) note(`${hidden} more findings are not shown.`);
  }
  return found.valid === true;
}
