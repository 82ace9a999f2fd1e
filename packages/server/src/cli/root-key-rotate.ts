import { rotateRootKey } from '../operations/rotate-root-key.ts';
import { reporting, withService } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { WrongUsage } from './failure.ts';
import { note, printResult } from './output.ts';
import { progress } from './progress.ts';

const examples = [
  'root-key generate --file new.key',
  'root-key rotate   # with EAAS_ROOT_KEY_FILE=new.key and EAAS_ROOT_KEY_PREVIOUS="$(cat old.key)"',
];

/** `eaas root-key rotate`. */
export const rootKeyRotate = reporting(
  'rotate',
  'Seal every tenant under the current root key. Until now they are under the one in EAAS_ROOT_KEY_PREVIOUS: first restart ' +
    'every replica with both keys; they serve meanwhile. Each tenant gets an entry in its audit log. No key and no ' +
    'ciphertext changes. May be interrupted and repeated.',
  examples,
).action(async (options: { json?: true }) => {
  const rotation = await withService(async ({ service }) => {
    const [current, previous] = service.tenants.roots;
    if (!previous) {
      throw new WrongUsage(
        'Set EAAS_ROOT_KEY_PREVIOUS to the root key until now, and EAAS_ROOT_KEY or EAAS_ROOT_KEY_FILE to the next one.',
      );
    }
    const show = progress('re-sealing tenants');
    const { resealed, failed } = await rotateRootKey(service, previous, show);
    return {
      root_id: Buffer.from(current.rootId).toString('hex'),
      previous_root_id: Buffer.from(previous.rootId).toString('hex'),
      resealed,
      failed,
      finished: failed.length === 0,
    };
  });
  printResult(rotation, options);
  if (!rotation.finished) {
    note(
      "The rows of some tenants were changed behind the service's back and stay as they are: keep both root keys.",
    );
    process.exitCode = exitCodes.refused;
    return;
  }
  note(
    'The previous root key is not needed any more: restart every replica without EAAS_ROOT_KEY_PREVIOUS. Keep that key ' +
      'as long as there are backups from before.',
  );
});
