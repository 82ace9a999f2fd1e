import { apiKeyCreate } from './api-key-create.ts';
import { apiKeyList } from './api-key-list.ts';
import { apiKeyRevoke } from './api-key-revoke.ts';
import { auditAcknowledgeRestore } from './audit-acknowledge-restore.ts';
import { auditCheckpoint } from './audit-checkpoint.ts';
import { auditExport } from './audit-export.ts';
import { auditVerify } from './audit-verify.ts';
import { group } from './command.ts';
import { failureOf } from './failure.ts';
import { exitCodes } from './exit-codes.ts';
import { migrateCommand } from './migrate.ts';
import { note } from './output.ts';
import { rootKeyCheck } from './root-key-check.ts';
import { rootKeyGenerate } from './root-key-generate.ts';
import { rootKeyRotate } from './root-key-rotate.ts';
import { serveCommand } from './serve.ts';
import { tenantCreate } from './tenant-create.ts';
import { tenantDestroy } from './tenant-destroy.ts';
import { tenantList } from './tenant-list.ts';
import { tenantSet } from './tenant-set.ts';
import { tenantShow } from './tenant-show.ts';

/** The whole command line. */
export const program = group('eaas', 'Encryption as a service: the server and its operator’s commands.', [
  serveCommand,
  migrateCommand,
  group('tenant', 'Tenants.', [tenantCreate, tenantList, tenantShow, tenantSet, tenantDestroy]),
  group('api-key', 'API keys of tenants.', [apiKeyCreate, apiKeyList, apiKeyRevoke]),
  group('audit', 'Audit logs of tenants.', [
    auditVerify,
    auditExport,
    auditCheckpoint,
    auditAcknowledgeRestore,
  ]),
  group('root-key', 'The root key, which everything is sealed under.', [
    rootKeyGenerate,
    rootKeyCheck,
    rootKeyRotate,
  ]),
]);

/** Runs a command line; answers its exit code when it is done. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    const { code, message } = failureOf(error);
    if (message !== null) note(message);
    return code;
  }
}
