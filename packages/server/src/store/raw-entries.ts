import { parseUuid } from '@eaas/protocol';
import type { Transaction } from './sql.ts';

/** An entry as PostgreSQL sends it, which is how its hash is computed: nothing of it is decoded. */
export interface RawEntry {
  readonly id: number;
  readonly createdAt: number;
  /** From `id` to `created_at`: for each its length in 4 bytes (all ones for null) and its text. */
  readonly parts: Uint8Array;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

const signature = 'PGCOPY\n\u00ff\r\n\0';
const fieldCount = 10;

/**
 * Entries in the order of the chain, by binary COPY. Its fields are spelled exactly as the parts of a pae are, so the
 * bytes between two entries' counts are the end of what the hash covers. In a transaction, which has its connection for
 * itself: postgres.js throws at whatever query it sends to a connection that is in the middle of a COPY.
 */
export async function rawEntries(
  tx: Transaction,
  tenantId: string,
  first: number,
  last: number,
): Promise<RawEntry[]> {
  if (parseUuid(tenantId) !== tenantId) throw new TypeError('a tenant id is a UUID');
  // COPY takes no parameters: these are a UUID and two whole numbers. `e.id`, because `id` would be the text.
  const query = tx.unsafe(`copy (
    select id::text, action, key_id::text, key_version::text, actor, ip_address, metadata, created_at::text, hash, mac
    from eaas.audit_entries e
    where tenant_id = '${tenantId}' and id between ${whole(first)} and ${whole(last)} order by e.id
  ) to stdout (format binary)`);
  const chunks: Buffer[] = [];
  const stream = await query.readable();
  await new Promise<void>((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      // postgres.js pauses its socket while the stream is full and resumes it when asked for more, which nobody asks of
      // a stream that has ended: the connection would stay deaf.
      stream._read(0);
      resolve();
    });
    stream.on('error', reject);
  });
  return readRows(Buffer.concat(chunks));
}

function readRows(bytes: Buffer): RawEntry[] {
  if (bytes.toString('latin1', 0, signature.length) !== signature)
    throw new Error('PostgreSQL sent no binary COPY');
  const rows: RawEntry[] = [];
  const extension = signature.length + 4;
  let at = extension + 4 + bytes.readUInt32BE(extension);
  for (let count = bytes.readInt16BE(at); count !== -1; count = bytes.readInt16BE(at)) {
    if (count !== fieldCount) throw new Error('PostgreSQL sent another number of columns');
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
  if (!Number.isSafeInteger(value)) throw new TypeError('an entry id is a whole number');
  return value.toFixed();
}
