// `eaas import`: turns the key file of a local service into a tenant, for an app that moves to a server.
import { InputError } from '@eaas/protocol';
import { openForImport, wipeKeyFile } from '@eaas/local/internal';
import { CannotStart, createTenant } from '@eaas/server/internal';
import { reporting, withService } from './command.ts';
import { next, printResult, sentence } from './output.ts';

export const importCommand = reporting(
  'import',
  'Turn the keys of a local service into a tenant. They are in a file, or in the variable EAAS_LOCAL. It keeps its id, ' +
    'its keys and their versions, so every ciphertext, fingerprint and intake key stays valid. Imports everything or ' +
    'nothing, leaves the file as it is, and prints its SHA-256. A locked file is opened by EAAS_LOCAL_PASSPHRASE, ' +
    'EAAS_LOCAL_KEY_COMMAND, or a passphrase that the command asks for; a locked variable by EAAS_LOCAL_KMS_COMMAND. ' +
    'Stop the app first: it could still rotate a key in the file.',
  ['import .eaas/local.json --tenant acme', 'import --tenant acme --json'],
)
  .argument('[file]', 'the path of the key file; without it, the variable EAAS_LOCAL')
  .requiredOption('--tenant <name>', 'the name of the new tenant, which must be unique')
  .action(async (path, { tenant: name, ...options }) => {
    const file = await openForImport(path).catch(cannotUse);
    const { tenantId, keys, subjects, sha256 } = file;
    const tenant = await withService(({ service }) => createTenant(service, { name }, file));
    const ofDefault = keys.find((key) => key.name === 'default' && key.status !== 'destroyed');
    const found = { keys: keys.length, default_key_id: ofDefault?.key_id ?? null, subjects: subjects.length };
    printResult({ ...tenant, ...found, sha256 }, options);
    wipeKeyFile(file);
    next(
      `\`eaas api-key create --tenant ${tenantId} --name first --permissions all\`, and in the application ` +
        '`baseUrl`, `apiKey` and, for the key `default`, its id as `keyId` (EAAS_KEY_ID) instead of `service`',
      options,
    );
  });

function cannotUse(error: unknown): never {
  if (!(error instanceof InputError)) throw error;
  throw new CannotStart(sentence(error.message), { cause: error });
}
