// A process that runs `migrate` on a table: `migrating.mjs <setup>`. It prints its progress and its result. At the moment
// that the setup names, it stands still, to be killed.
import { writeSync } from 'node:fs';
import { migrate, type Progress } from '@eaas/migrate';
import { EaasClient, type EaasClientOptions } from '@eaas/sdk';
import postgres from 'postgres';
import { tables } from './tables.ts';

export interface Setup {
  readonly table: 'members' | 'patients';
  readonly mode: 'encrypt' | 'rewrap';
  readonly connection: postgres.Options<Record<string, never>>;
  readonly options: EaasClientOptions;
  readonly index: string;
  readonly resume?: Progress | undefined;
  /** `write 3`: has sent the third statement that writes. `check 1`: the first of the proof. `seen 500, checked 0`. */
  readonly moment?: string;
}

/** What the process prints. */
export interface Line {
  readonly standsStill?: boolean;
  readonly progress?: Progress;
  readonly result?: { readonly done: boolean; readonly left: number; readonly failures: number };
}

const setup = JSON.parse(process.argv[2] ?? '') as Setup;
const { connection, options, index, resume, moment } = setup;
const sql = postgres({ ...connection, max: 1 });
const tell = (line: Line): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const sent = { write: 0, check: 0 };

/** Blocks the process, which therefore never reads the response to a statement that it has sent. */
function standStill(): void {
  tell({ standsStill: true });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const database = {
  query(statement: string, parameters: string[]) {
    const kind = statement.includes('update') ? 'write' : statement.includes('substr') ? 'check' : undefined;
    const result = sql.unsafe(statement, parameters).execute();
    // The driver sends the statement in the next turn.
    if (kind && `${kind} ${++sent[kind]}` === moment) setImmediate(() => setImmediate(standStill));
    return result;
  },
};

const { done, left, failures } = await migrate(database, setup.table, setup.mode, {
  client: new EaasClient(options),
  fields: tables,
  index,
  resume,
  pageSize: 500,
  onProgress(progress) {
    tell({ progress });
    if (`seen ${progress.seen}, checked ${progress.checked}` === moment) standStill();
  },
});
tell({ result: { done, left: left.count, failures: failures.length } });
await sql.end();
