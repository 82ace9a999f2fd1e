// What the schema of each version is like, as the first server of that version has written it down under a MAC of the root key. By
// it, servers of the version before find out whether somebody has changed what they do not know themselves.
import * as core from '@eaas/service';
import { type Catalogue, expected } from './catalogue.ts';
import { rootRowKey, type RowKey, rowUnderAny } from './root-macs.ts';
import type { Sql } from './sql.ts';

const record = { step: 'number', catalogue: 'text' } as const;

type SchemaRecord = core.RowOf<typeof record>;

const schemaRecords = core.tableOf<SchemaRecord>('schema_records', ['step'], record, {
  label: ['eaas schema v1'],
  isLoose: true,
});

const recordKey = (root: core.RootKey): RowKey => rootRowKey(root, 'schema-mac');

/** Returns what a version has recorded, unless somebody else wrote it. */
export async function recordedCatalogue(
  sql: Sql,
  step: number,
  roots: readonly core.RootKey[],
): Promise<Catalogue | undefined> {
  const [row] = await sql<(SchemaRecord & { readonly mac: Uint8Array })[]>`
    select step, catalogue, mac from eaas.schema_records where step = ${step}`;
  const checked = row && rowUnderAny(roots.map(recordKey), schemaRecords, { row, newest_rev: null });
  return checked && (JSON.parse(checked.catalogue) as Catalogue);
}

/** Records what a version makes, if nobody has yet, or not under the current root key. */
export async function recordCatalogue(
  sql: Sql,
  step: number,
  [root]: core.Roots,
  catalogue: Catalogue = expected,
): Promise<void> {
  if (await recordedCatalogue(sql, step, [root])) return;
  const row = core.withMac(recordKey(root), schemaRecords, { step, catalogue: JSON.stringify(catalogue) });
  await sql`insert into eaas.schema_records ${sql({ ...row })}
    on conflict (step) do update set catalogue = excluded.catalogue, mac = excluded.mac`;
}
