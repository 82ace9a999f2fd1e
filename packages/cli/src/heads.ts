// The commands of `eaas heads`: what a server remembers of audit logs in the directory of EAAS_STATE_DIR.
import { type OpenService, openHeadFile, requireTenantId } from '@eaas/server/internal';
import { requireConfig, reporting, withService } from './command.ts';
import { WrongUsage } from './kit/index.ts';
import { next, printResult } from './output.ts';

const forget = reporting(
  'forget',
  'Forget the newest audit entries that a server has seen. A restored log lacks some of them, and the server would alarm. The ' +
    'server must be stopped. Run it for each server, with its EAAS_STATE_DIR.',
  ['heads forget', 'heads forget --tenant acme'],
)
  .option('--tenant <tenant>', 'only of this tenant, by its id or name (default: of all)')
  .action(async (options) => {
    const { stateDirectory } = requireConfig();
    if (stateDirectory === null) {
      throw new WrongUsage(
        'EAAS_STATE_DIR is not set: set it to the directory of the server that should forget. A server without it remembers nothing.',
      );
    }
    const { tenant } = options;
    const tenantId =
      tenant === undefined
        ? undefined
        : await withService(async ({ service }: OpenService) => requireTenantId(service, tenant));
    const { heads } = await openHeadFile(stateDirectory);
    try {
      printResult({ directory: stateDirectory, forgotten: await heads.forget(tenantId) }, options);
    } finally {
      await heads.close();
    }
    next('start the server; it remembers what it sees from now on', options);
  });

export const headCommands = [forget];
