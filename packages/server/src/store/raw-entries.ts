import { parseUuid } from '@eaas/protocol';
import type { Transaction } from './sql.ts';

export interface RawEntry {
  readonly id: number;
  readonly createdAt: number;
  /** Each column is a length of 4 bytes and a text. For null, all bits of the length are set. */
  readonly parts: Uint8Array;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

const pageBytes = 4 * 1024 * 1024;
const signature = 'PGCOPY\n\u00ff\r\n\0';
const fieldCount = 10;

/** postgres.js throws if a connection sends another query during a COPY, so a transaction is needed. */
export async function rawEntries(tx: Transaction, tenantId: string, first: number, last: number) {
  if (parseUuid(tenantId) !== tenantId) throw new TypeError('`tenantId` must be a UUID in lower case');
  // COPY accepts no parameters, so every value is checked before it is inserted into the SQL. The query sorts by the
  // number `e.id`, because the output column `id` is text.
  const query = tx.unsafe(`copy (
    select id::text, action, key_id::text, key_version::text, actor, ip_address, metadata, created_at::text, hash, mac
    from (
      select *, sum(octet_length(metadata)) over (order by id rows unbounded preceding) - octet_length(metadata) as before
      from eaas.audit_entries
      where tenant_id = '${tenantId}' and id between ${whole(first)} and ${whole(last)}
    ) e
    where before < ${whole(pageBytes)} order by e.id
  ) to stdout (format binary)`);
  const chunks: Buffer[] = [];
  const stream = await query.readable();
  await new Promise<void>((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      // postgres.js pauses the socket when the buffer of the stream is full. `_read` resumes the socket, so that the
      // connection stays usable after the COPY.
      stream._read(0);
      resolve();
    });
    stream.on('error', reject);
  });
  const bytes = Buffer.concat(chunks);
  // `isCut` tells the caller to read the next rows. The SQL limits only the bytes of the metadata, but `bytes.length`
  // counts all bytes. So `isCut` can be true although no rows remain. The caller's next read then returns no row.
  return { rows: readRows(bytes), isCut: bytes.length >= pageBytes };
}

function readRows(bytes: Buffer): RawEntry[] {
  if (bytes.toString('latin1', 0, signature.length) !== signature)
    throw new Error('expected the binary COPY format of version 1 from PostgreSQL (got another format)');
  const rows: RawEntry[] = [];
  const extension = signature.length + 4;
  let at = extension + 4 + bytes.readUInt32BE(extension);
  for (let count = bytes.readInt16BE(at); count !== -1; count = bytes.readInt16BE(at)) {
    if (count !== fieldCount)
      throw new Error(`expected ${fieldCount} columns in each row of a COPY from PostgreSQL (got ${count})`);
    const start = at + 2;
    const idEnd = fieldEnd(bytes, start);
    let createdAt = start;
    for (let field = 0; field < 7; field++) createdAt = fieldEnd(bytes, createdAt);
    const end = fieldEnd(bytes, createdAt);
    const hashEnd = fieldEnd(bytes, end);
    at = fieldEnd(bytes, hashEnd);
    rows.push({
      id: Number(bytes.toString('latin1', start + 4, idEnd)),
      createdAt: Number(bytes.toString('latin1', createdAt + 4, end)),
      parts: bytes.subarray(start, end),
      hash: bytes.subarray(end + 4, hashEnd),
      mac: bytes.subarray(hashEnd + 4, at),
    });
  }
  return rows;
}

function fieldEnd(bytes: Buffer, at: number): number {
  const length = bytes.readInt32BE(at);
  return length === -1 ? at + 4 : at + 4 + length;
}

function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`an entry id must be a safe integer (got ${value})`);
  return value.toFixed();
}
