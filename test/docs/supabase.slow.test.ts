import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '@eaas/test-kit/database';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { saidBy, savePageCode } from '@eaas/test-kit/page-code';
import { closing } from '@eaas/test-kit/closing';

const page = read('packages/sdk/docs/from-pgsodium.md');
const [app = ''] = blocksOf(page, 'ts');
const [table = '', removal = ''] = blocksOf(page, 'sql');

const before = `
import postgres from 'postgres';
import { eaas } from '@eaas/test-kit/played-service';
const connection = JSON.parse(process.env.CONNECTION!);
`;

// The statements of supabase-js, as PostgREST runs them.
const client = `
const sql = postgres({ ...connection, max: 1, prepare: false });
const user = { id: '7d3a5b0e-9d7f-4f0e-8f0a-2b1c3d4e5f60' };
const claims = () => JSON.stringify({ sub: user.id });
const asUser = <T,>(run: (tx: postgres.TransactionSql) => Promise<T>) =>
  sql.begin(async (tx) => {
    await tx\`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', \${claims()}, true)\`;
    return run(tx);
  });
interface Row { id: string; owner: string; ssn: string | null }
const supabase = {
  from: (table: string) => ({
    insert: (row: object) => asUser(async (tx) => tx\`insert into \${tx(table)} \${tx({ ...row })}\`),
    select: (columns: string) => ({
      in: async (column: string, values: readonly string[]): Promise<{ data: Row[] | null }> => ({
        data: await asUser((tx) => tx<Row[]>\`
          select \${tx(columns.split(', '))} from \${tx(table)} where \${tx(column)} in \${tx([...values])}\`),
      }),
    }),
  }),
};
`;

const asOthers = `
user.id = '00000000-0000-4000-8000-000000000002';
console.log((await supabase.from('patients').select('id').in('ssn_index', ssn_index)).data?.length); // 0
const refused = supabase.from('patients').insert({ id: user.id, owner: patient.owner });
console.log(await refused.catch((error: Error) => error.message)); // new row violates row-level security policy for table "patients"
await sql.end();
`;

const program = [before, client, app, asOthers].join('\n');

const saved = savePageCode(join(root, 'node_modules/.cache/supabase'), { 'app.mts': program });
afterAll(saved.remove);

async function emptyDatabase() {
  const connection = (await createDatabase()).connection('superuser');
  const sql = await closing(postgres({ ...connection, max: 1, onnotice: () => {} }), (it) => it.end());
  return { sql, connection };
}

const statementsOf = (block: string): string[] => block.split(/;\n/).filter((statement) => statement !== '');

test('the code of the page compiles', async () => {
  expect(await saved.compile()).toBe('');
});

test('a user finds an encrypted row under row-level security, and other users do not', async () => {
  const { sql, connection } = await emptyDatabase();
  await sql.unsafe(`
    do $$ begin create role authenticated; exception when duplicate_object then null; end $$;
    create schema auth;
    create function auth.uid() returns uuid language sql stable
      as $$ select (current_setting('request.jwt.claims')::json ->> 'sub')::uuid $$;
    grant usage on schema auth to authenticated;`);
  await sql.unsafe(table);
  await sql.unsafe('grant select, insert on patients to authenticated');
  const printed = await saved.run('app.mts', { CONNECTION: JSON.stringify(connection) });
  expect(printed).toBe(saidBy(program));
  expect(saidBy(program).split('\n')).toHaveLength(4);
  expect(JSON.stringify(await sql`select * from patients`)).not.toContain('-6789');
});

test('the page removes what encrypts the old column, and leaves the new ones', async () => {
  const { sql } = await emptyDatabase();
  await sql.unsafe(`
    create table patients (id uuid primary key, ssn text, ssn_new text);
    create function patients_encrypt_secret_ssn() returns trigger language plpgsql as $$
      begin new.ssn = encode(convert_to(new.ssn, 'utf8'), 'base64'); return new; end $$;
    create trigger patients_encrypt_secret_trigger_ssn before insert or update of ssn on patients
      for each row execute function patients_encrypt_secret_ssn()`);
  await sql.unsafe(`create view decrypted_patients as
    select *, convert_from(decode(ssn, 'base64'), 'utf8') as decrypted_ssn from patients`);
  const withoutExtension = statementsOf(removal).filter((statement) => !statement.includes('pgsodium'));
  for (const statement of withoutExtension) await sql.unsafe(statement);
  await sql`insert into patients values (gen_random_uuid(), 'eaasA')`;
  expect(await sql`select ssn_new from patients`).toEqual([{ ssn_new: 'eaasA' }]);
});
