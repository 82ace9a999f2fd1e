// The public log of all heads, as far as the API shows it: proofs of a tenant's entries. A package of its own keeps the log.
import type { Input } from '@eaas/protocol/wire';
import { type Part, type Plugin, preparing, Refusal, type Verification } from '@eaas/service';
import type { Database } from '../postgres/database.ts';
import type { Sql } from '../postgres/sql.ts';

/** What the server needs of the public log. */
export interface PublicLog {
  /** Reads what is public at a path, as in `checkpoint` or `tile/0/000`. */
  read(path: string): Promise<PublicFile | undefined>;
  /** The text of the first kept proof of a head at or after the entry, or of the newest. Throws Refusal if there is none. */
  proof(sql: Sql, tenantId: string, id: number | undefined): Promise<string>;
  /** The first entry after another one that the log proved otherwise than the chain has it, or undefined. */
  contradicted(sql: Sql, tenantId: string, after: number): Promise<number | undefined>;
}

interface PublicFile {
  readonly bytes: Buffer | string;
  readonly type: string;
  /** For how long caches may keep it, in seconds. */
  readonly maxAge: number;
}

type Reading = Pick<Database, 'run'>;

export const publicLogPlugin = (database: Reading, logOf: () => PublicLog | undefined): Plugin => ({
  name: 'public-log',
  around: {
    'GET /v1/audit/verify'(_, part, { tenantId }) {
      const log = logOf();
      return log ? contradicting(database, log, part as Part<Verification>, tenantId) : part;
    },
    'GET /v1/audit/proof'(_, part, { tenantId }, { id }: Input<'GET /v1/audit/proof'>) {
      const log = logOf();
      if (!log) return part;
      return preparing('guess', async ({ head }) => {
        if (id !== undefined && id > head.id) throw entryNotWritten(id, head.id);
        return { proof: await database.run((sql) => log.proof(sql, tenantId, id)) };
      });
    },
  },
});

const entryNotWritten = (id: number, newest: number): Refusal =>
  new Refusal('not_found', `The audit log has no entry ${id}: its newest entry is ${newest}.`);

const contradicting = (
  database: Reading,
  log: PublicLog,
  part: Part<Verification>,
  tenantId: string,
): Part<Verification> => ({
  ...part,
  ...preparing(part.by, async (view, holder) => {
    await part.prepare?.(view, holder);
    const { answer } = part.judge(view, holder);
    if (answer instanceof Refusal) throw answer;
    return withContradiction(database, log, tenantId, answer as Verification);
  }),
});

/** Adds to a verification the first entry that the public log has proved otherwise than the chain has it. */
export async function withContradiction(
  database: Reading,
  log: PublicLog,
  tenantId: string,
  verification: Verification,
): Promise<Verification> {
  const { errors, error_count, purged_through } = verification;
  const id = await database.run((sql) => log.contradicted(sql, tenantId, purged_through?.id ?? 0));
  if (id === undefined) return verification;
  const finding = { id, reason: 'proof_mismatch' };
  return { ...verification, valid: false, errors: [...errors, finding], error_count: error_count + 1 };
}
