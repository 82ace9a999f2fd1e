// The command `npx --no-install @eaas/migrate decrypt`: writes the values of a table as plaintext, for an app that leaves Eaas.
import { InputError } from '@eaas/protocol';
import { progressLine } from '@eaas/protocol/internal';
import { clientOf, connect, variable } from './connect.ts';
import { definedIn } from './definition.ts';
import { migrateTarget } from './migrate.ts';
import { parse } from './options.ts';
import { lineOf, type MigrateProgress } from './progress.ts';
import { targetOf } from './source.ts';

export const help = `Usage: npx --no-install @eaas/migrate decrypt <definition> <table> --yes

Stores the values of a table as the plaintext that \`write\` of \`plaintext\` returns, while the app runs and does so too. If it is
killed, run it again. The exit code is 1 if a ciphertext is left.

Options:
  --yes                  store plaintext, of which backups keep copies
  --leave-erased         leave rows with values of erased people, which nobody can read
  --database <address>   postgres://…, mysql://…, file:app.db, or a variable that has it (default: DATABASE_URL)
  --id <column>          the primary key or another unique column, if the command cannot know it
  --export <name>        the export of the definition, if it has several
  -h, --help             show this help

The variables are those of the app: EAAS_INDEX_KEY, and EAAS_LOCAL, or EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID, and EAAS_HALF.
`;

export async function run(args: readonly string[]): Promise<number> {
  const [{ text, flag }, path = '', table = ''] = parse(help, args);
  if (!flag('yes')) throw new InputError('backups will keep copies of the plaintext: pass `--yes`');
  const [defined] = await definedIn(path, text('export'), table);
  const client = await clientOf();
  const { database, schema, close } = await connect(text('database'));
  const line = progressLine();
  const index = variable('EAAS_INDEX_KEY');
  const place = { id: text('id') ?? defined.id, schema: defined.schema ?? schema, index };
  const onProgress = (now: MigrateProgress): void => line.show(...lineOf(now));
  const options = { client, leaveErased: flag('leave-erased'), onProgress };
  try {
    const target = targetOf(database, table, { ...defined, ...place });
    const migrated = await migrateTarget(target, 'decrypt', options).finally(line.clear);
    const { done, failures, progress, left } = migrated;
    for (const { message } of failures) process.stderr.write(`${message}\n`);
    const counts = `${progress.rewritten} rows decrypted, ${left.count} left`;
    process.stderr.write(`${counts}, ${progress.erased} left of erased people\n`);
    return done ? 0 : 1;
  } finally {
    await close();
    await client.close();
  }
}
