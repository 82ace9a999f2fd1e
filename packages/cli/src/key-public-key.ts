import { operations } from '@eaas/server/internal';
import { onTenant, type OnTenant } from './command.ts';
import { withKey } from './find-key.ts';
import { next, printResult } from './output.ts';

export const keyPublicKey = onTenant(
  'public-key',
  'Show the public keys of an active key. Writers encrypt with intake_public_key of an intake key, without an API key. ' +
    'Clients check blind hashes with hash_public_key.',
  ['key public-key contact-form --tenant acme'],
)
  .argument('<key>', "the key's id or name")
  .action(async (idOrName: string, options: OnTenant) => {
    const keys = await withKey(options, idOrName, operations['GET /v1/keys/:key_id/public-key']);
    printResult(keys, options);
    const step =
      keys.intake_public_key === null
        ? 'in clients that compute blind hashes, set the option hashPublicKeys to hash_public_key'
        : 'give intake_public_key to the writers, for `createIntake` or `eaas-files encrypt --public-key`';
    next(step, options);
  });
