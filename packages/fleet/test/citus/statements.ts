import { type Sql } from '@eaas/server/internal';
import type { TestDatabase } from '@eaas/test-kit/database';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

export function recording(database: TestDatabase) {
  const statements = new Map<string, Statement>();
  const debug = (_: number, text: string, parameters: unknown[]): void => {
    if (text.includes('eaas.') && !statements.has(text))
      statements.set(text, { text, parameters: [...parameters] });
  };
  return { statements, connection: { ...database.connection('server'), debug } };
}

export async function planOf(sql: Sql, { text, parameters }: Statement): Promise<string> {
  // EXPLAIN does not accept COPY. The test therefore explains the query that the COPY contains.
  const query = /^copy \((.*)\) to stdout/s.exec(text)?.[1] ?? text;
  const rows = await sql.unsafe<{ 'QUERY PLAN': string }[]>(
    `explain (verbose, costs off) ${query}`,
    parameters as never[],
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

export function tasksOf(plan: string): number[] {
  return [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
}
