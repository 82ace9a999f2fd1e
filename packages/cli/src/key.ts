// What the commands for keys do by hand: the versions below a key, and the destruction that asks for the name of the key.
import { escapeHidden } from '@eaas/protocol/internal';
import { limits, type Output } from '@eaas/protocol/wire';
import { confirmOption, requireConfirmable, requireConfirmed } from './confirm.ts';
import { next, note, printResult, printResults, type Reporting } from './output.ts';
import { requireKey } from './records.ts';
import { onTenantOrRemote, placeOf, withCaller } from './remote.ts';
import { daysTo } from './values.ts';

type KeyWithVersions = Output<'GET /v1/keys/:key_id'>;

export function showKey(key: KeyWithVersions, options: Reporting): void {
  if (options.json) return printResult(key, options);
  const { versions, versions_total, limit: _limit, offset, ...record } = key;
  printResult(record, options);
  process.stdout.write('\n');
  printResults(versions, ['key_version', 'created_at', 'wraps', 'unwraps', 'last_unwrap_at'], options);
  const older = versions_total - offset - versions.length;
  if (older > 0) note(`${older} older versions are not shown.`);
}

export const showPublicKey =
  '`eaas key public-key :key_id --tenant :tenant` shows the public key for writers';

export const destroyKey = onTenantOrRemote(
  'destroy',
  'Destroy a disabled key. After the grace days its material is permanently erased. Then nothing that was encrypted ' +
    'under the key can be decrypted. Prints how the key was used.',
  [
    'key disable patients --tenant acme',
    'key destroy patients --tenant acme --grace-days 7 --confirm patients',
  ],
)
  .argument('<key>', "the key's id or name")
  .option(
    '--grace-days <days>',
    `days until the key is erased, 0 to ${limits.graceDays}; until then \`key restore\` stops the destruction`,
    daysTo(limits.graceDays),
    limits.graceDaysDefault,
  )
  .addOption(confirmOption('key'))
  .action(async (idOrName, options) => {
    const { graceDays, confirm } = options;
    requireConfirmable(confirm, '--confirm with the name of the key');
    const key = await withCaller(options, async (caller) => {
      const { key_id, name } = await requireKey(caller, idOrName);
      note(usageOf(await caller.ask('GET /v1/keys/:key_id', { key_id })));
      const when = graceDays === 0 ? 'at once' : `in ${graceDays} ${graceDays === 1 ? 'day' : 'days'}`;
      const warning = `The key will be permanently erased ${when}, and data that is encrypted under it will be lost.`;
      await requireConfirmed('key', name, warning, confirm);
      return caller.ask('DELETE /v1/keys/:key_id', { key_id, grace_days: graceDays });
    });
    printResult(key, options);
    if (key.status === 'destroyed') return;
    const restore = `eaas key restore ${key.key_id} ${placeOf(options)}`;
    next(`until ${key.destroy_at}, \`${restore}\` keeps the key`, options);
  });

function usageOf({ name, key_id, key_version, versions }: KeyWithVersions): string {
  const sum = (of: 'wraps' | 'unwraps') => versions.reduce((total, version) => total + version[of], 0);
  const uses = versions.map(({ last_unwrap_at }) => last_unwrap_at ?? '');
  const lastUse = uses.toSorted().at(-1);
  return (
    `The key ${escapeHidden(JSON.stringify(name))} (${key_id}) has version ${key_version}. Clients wrapped ${sum('wraps')} data keys ` +
    `under this key and unwrapped ${sum('unwraps')}. ${lastUse ? `The last unwrap was at ${lastUse}` : 'It was never used to unwrap'}.`
  );
}
