import { createInterface } from 'node:readline';
import postgres from 'postgres';
import { startEmbeddedDatabase } from '../src/embedded-database.ts';

const [path = '', purpose] = process.argv.slice(2);

try {
  const database = await startEmbeddedDatabase(path, purpose === 'serve' ? 'serve' : 'command');
  const sql = postgres({ ...database.connection('owner'), onnotice: () => {} });
  await sql`create table if not exists written (number bigint primary key)`;
  const [last] = await sql<{ number: string }[]>`select coalesce(max(number), 0) as number from written`;
  const [server] = await sql<{ started: string }[]>`select pg_postmaster_start_time()::text as started`;
  say({ ready: server?.started, last: Number(last?.number) });

  for await (const order of createInterface({ input: process.stdin })) {
    if (order === 'write') {
      await Promise.all([0, 1, 2, 3].map((lane) => write(sql, Number(last?.number) + 1 + lane)));
    } else break;
  }
  await sql.end();
  await database.close();
  say({ closed: true });
} catch (error) {
  say({ error: String(error) });
}

async function write(sql: postgres.Sql, first: number): Promise<void> {
  for (let number = first; ; number += 4) {
    await sql`insert into written values (${number})`;
    say({ written: number });
  }
}

function say(event: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
