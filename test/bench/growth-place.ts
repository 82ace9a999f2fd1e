import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestBase } from '@eaas/test-kit/faults/place';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { apiOf } from '@eaas/test-kit/world';
import type { Defer } from './compare.ts';
import { fillTenants, finishTonight, type Grown, type Place, type Tenants } from './growth-data.ts';
import { connectDeferred, operateDeferred } from './open-operator.ts';

type GrownRow = Omit<Grown, 'api'>;

interface Kept extends Record<keyof Tenants, GrownRow> {
  readonly rootKey: string;
}

export async function openPlace(defer: Defer, size: number, directory?: string): Promise<Place> {
  const kept = directory === undefined ? undefined : join(directory, size.toString());
  const known = kept === undefined ? undefined : await readKept(kept);
  if (kept !== undefined && !known) await rm(kept, { recursive: true, force: true });
  const postgres = await startPostgres(defer, kept);
  const operator = await operateDeferred(defer, postgres, known?.rootKey);
  const sql = connectDeferred(defer, postgres);
  const { service } = operator;
  const open = (row: GrownRow): Grown => ({ ...row, api: apiOf(service, row.token) });
  const tenants: Tenants = known
    ? {
        manyKeys: open(known.manyKeys),
        manyEntries: open(known.manyEntries),
        manyVersions: open(known.manyVersions),
      }
    : await fillTenants(operator, sql, size);
  const place = { size, operator, service, sql, ...tenants };
  await finishTonight(place);
  await sql.unsafe('vacuum analyze');
  if (kept !== undefined && !known) {
    const text = JSON.stringify({ rootKey: operator.env.EAAS_ROOT_KEY, ...tenants });
    await writeFile(placeFile(kept), text, { mode: 0o600 });
  }
  return place;
}

async function startPostgres(defer: Defer, kept?: string): Promise<TestBase> {
  const postgres = await OwnPostgres.start('embedded', false, {}, kept);
  defer(postgres.drop);
  return postgres;
}

function placeFile(kept: string): string {
  return join(kept, 'place.json');
}

/** If the file `place.json` exists, the database is complete, because `openPlace` writes this file last. */
async function readKept(kept: string): Promise<Kept | undefined> {
  const text = await readFile(placeFile(kept), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Kept);
}
