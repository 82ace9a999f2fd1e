// A process that rotates the key of a table: `migrating.mjs <setup>`. It prints its progress and its result.
import { writeSync } from 'node:fs';
import { migrate, type Progress } from '@eaas/migrate';
import { EaasClient, type EaasClientOptions } from '@eaas/sdk';
import postgres from 'postgres';
import { tables } from './tables.ts';

export interface Setup {
  readonly connection: postgres.Options<Record<string, never>>;
  readonly options: EaasClientOptions;
  readonly resume?: Progress | undefined;
}

/** What the process prints. */
export interface Line {
  readonly progress?: Progress;
  readonly result?: { readonly done: boolean; readonly left: number; readonly failures: number };
}

const { connection, options, resume } = JSON.parse(process.argv[2] ?? '') as Setup;
const sql = postgres({ ...connection, max: 1 });
const database = { query: (statement: string, parameters: string[]) => sql.unsafe(statement, parameters) };
const tell = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`);

const { done, left, failures } = await migrate(database, 'patients', 'rewrap', {
  client: new EaasClient(options),
  fields: tables,
  resume,
  pageSize: 500,
  onProgress: (progress) => tell({ progress }),
});
tell({ result: { done, left: left.count, failures: failures.length } });
await sql.end();
