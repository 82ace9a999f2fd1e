import { lockKeyFile } from '@eaas/local/internal';
import { reporting } from './command.ts';
import { askNewPassphrase, askPassphrase } from './confirm.ts';
import { cannotUse } from './import.ts';
import { next, note, printResult, type Reporting } from './output.ts';

const lock = reporting(
  'lock',
  'Lock a key file, or give it another passphrase or program. The file is opened as by `eaas ' +
    'import`, and gets the lock of EAAS_LOCAL_NEW_PASSPHRASE or EAAS_LOCAL_NEW_KEY_COMMAND, or a passphrase that the ' +
    'command asks for. Its keys stay the same, and every copy of the old file still opens with the old lock. Stop the ' +
    'app first: it must start again with the new lock.',
  ['local lock .eaas/local.json', 'local lock .eaas/local.json --json'],
)
  .argument('<file>', 'the path of the key file')
  .action(async (path: string, options: Reporting) => {
    const what = `key file ${path}`;
    const { tenantId, before, after } = await lockKeyFile(
      path,
      () => askPassphrase(what, 'set EAAS_LOCAL_PASSPHRASE, or run the command at a terminal'),
      () =>
        askNewPassphrase(
          what,
          'set EAAS_LOCAL_NEW_PASSPHRASE or EAAS_LOCAL_NEW_KEY_COMMAND, or run the command at a terminal',
        ),
    ).catch(cannotUse);
    printResult({ tenant_id: tenantId, lock_before: before, lock: after }, options);
    if (!options.json)
      note('Copies of the old file still open as before: replace them by copies of the new one.');
    next(
      `start the app with \`EAAS_LOCAL_${after === 'key' ? 'KEY_COMMAND' : 'PASSPHRASE'}\`, and then delete the old copies`,
      options,
    );
  });

export const localCommands = [lock];
