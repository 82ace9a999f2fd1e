import type { Sql } from './sql.ts';

/** Whether the database server knows a role. */
export async function roleExists(sql: Sql, role: string): Promise<boolean> {
  const [row] = await sql<{ there: boolean }[]>`
    select exists (select from pg_roles where rolname = ${role}) as there`;
  return row?.there === true;
}
