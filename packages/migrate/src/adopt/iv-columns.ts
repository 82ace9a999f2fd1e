// Which other columns of a table could hold the ivs of its ciphertexts. `adopt` names them where the iv may not stand in the text.
import { isBytes } from '@eaas/protocol/internal';
import { columnsOf, runnerOf, type SqlDatabase } from '../database.ts';
import { nameIn } from '../dialects.ts';
import { decoders } from '../formats/keys.ts';
import type { Names } from './place.ts';

const mostRows = 1_000;
const ivLength = 16;
/** Types of texts and bytes. A column of SQLite can be without one. */
const canHoldIv = /text|char|clob|bytea|blob|binary|^$/i;

/** Returns the names of the columns that hold 16 bytes in each of the first rows: as bytes, in hex or in base64. */
export async function ivColumnsOf(
  database: SqlDatabase,
  { schema, table }: Names,
  encrypted: readonly string[],
): Promise<string[]> {
  const { dialect, run } = runnerOf(database, 'adopt');
  const place = { schema, table };
  const columns = await columnsOf(run, dialect, place);
  const others = Array.from(columns.values())
    .filter(({ name, type }) => !encrypted.includes(name) && canHoldIv.test(type))
    .map(({ name }) => name);
  if (others.length === 0) return [];

  const selected = others.map((name, at) => `${dialect.quote(name)} as c${at}`).join(', ');
  const from = `select ${selected} from ${nameIn(dialect, place)} limit ${mostRows}`;
  const rows = await run(`read rows of ${nameIn(dialect, place)}`, [from]);
  return others.filter((_, at) => {
    const values = rows.map((row) => row[`c${at}`]).filter((value) => value !== null && value !== undefined);
    return values.length > 0 && values.every(isIv);
  });
}

function isIv(value: unknown): boolean {
  if (isBytes(value)) return value.length === ivLength;
  if (typeof value !== 'string') return false;
  const decoded = [decoders.hex(value.toLowerCase()), decoders.base64(value), decoders.base64url(value)];
  return decoded.some((bytes) => bytes?.length === ivLength);
}
