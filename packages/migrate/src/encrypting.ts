// The modes `encrypt`, `reencrypt` and `decrypt`, by the definition of the table: what holds plaintext is encrypted, all values of a
// row are decrypted and encrypted again, or written as plaintext. Rows of a page are converted together.
import { equalBytes } from '@eaas/protocol/internal';
import { FieldError, type FieldsClient, type SettledRow } from '@eaas/sdk/fields';
import { writesOlder } from '@eaas/sdk/internal';
import { createHalfFinder, type HalfClient } from './halves.ts';
import { headIn } from './heads.ts';
import { type Rewraps, unsound } from './rewrap.ts';
import {
  failureOf,
  type Outcome,
  refusalOf,
  type Row,
  type RowId,
  type TableRow,
  type Texts,
  type Work,
} from './rows.ts';
import { markingOnly, type Target, withEach } from './source.ts';

type FieldPlan = Target['plan']['fields'][number];
type IdOf = (row: Row) => RowId;

/** The methods of `Records` that convert rows, without the types of a definition. */
export interface RowsCodec {
  encryptRows(table: string, rows: readonly Row[], idOf: IdOf): Promise<Row[]>;
  decryptRows(table: string, rows: readonly Row[], idOf: IdOf, options: object): Promise<SettledRow<Row>[]>;
}

/** `for` checks the options, because the types of a generic definition do not say what is searchable. */
export const codecOf = ({ fields, index, keyIds }: Target, client: FieldsClient): RowsCodec =>
  (fields as unknown as { for(client: FieldsClient, options: object): RowsCodec }).for(client, {
    index,
    keyIds,
  });

/** A row to convert. */
interface Job {
  readonly row: TableRow;
  /** The fields that get a new ciphertext. The others keep theirs. Undefined for a row that is only opened. */
  readonly replaced: Target['plan']['fields'] | undefined;
}

/** Encrypts what is plaintext, and fills index columns that are NULL. */
export function encrypting(target: Target, codec: RowsCodec): Work {
  const { fields } = target.plan;
  const plainIn = (values: Texts) => fields.filter(({ name }) => typeof headIn(values[name]) === 'string');
  const isLeft = (values: Texts): boolean => plainIn(values).length > 0 || lacksIndex(fields, values);
  return {
    isLeft,
    // Opens complete rows too: in a column that held plaintext, a user can have stored what looks like a ciphertext.
    convert: (rows) =>
      convertRows(target, codec, rows, (row) => ({
        row,
        replaced: isLeft(row.values) ? plainIn(row.values) : undefined,
      })),
  };
}

/** Returns a function that opens rows, and makes the fingerprints that they lack. */
function markingOf(target: Target, client: FieldsClient) {
  const codec = codecOf(target, client);
  const marking = codecOf(markingOnly(target), client);
  return (rows: readonly TableRow[]) =>
    convertRows(target, codec, rows, (row) => ({ row, replaced: [] }), marking);
}

const isUnlike = ({ changed, failures }: Outcome): boolean => !!changed || failures.length > 0;

/** Returns a function that finds the rows with values or fingerprints under an earlier name of those of the fields that have `write`. */
export function renamedIn(target: Target, client: FieldsClient, fields: readonly FieldPlan[]) {
  const moving = fields.filter(({ field }) => field.renamedFrom && field.write);
  const moved = new Set(moving.map(({ name }) => name));
  if (moved.size === 0) return undefined;
  const options = (name: string) => (moved.has(name) ? { renamedFrom: undefined } : {});
  const mark = markingOf(withEach(target, options), client);
  return async (rows: readonly TableRow[]): Promise<ReadonlySet<TableRow>> => {
    const outcomes = await mark(rows);
    return new Set(rows.filter((_, at) => isUnlike(outcomes[at] as Outcome)));
  };
}

/** Fills index columns that are NULL, or that a version of the app without Eaas left with the fingerprint of an older value. */
export function indexing(target: Target, client: FieldsClient): Work {
  const mark = markingOf(target, client);
  const { fields } = target.plan;
  const indexed = new Set(fields.flatMap(({ indexes }) => indexes.flatMap((index) => index.fields)));
  const others = fields.filter((field) => !indexed.has(field)).map(({ name }) => [name, null] as const);
  const none = Object.fromEntries(others);
  // Opens no value without an index. It may be that of an erased person.
  const needed = (row: TableRow): TableRow => ({ ...row, values: { ...row.values, ...none } });
  const convert: Work['convert'] = async (rows) => mark(rows.map(needed));
  return { isLeft: () => false, leftIn: async (rows) => (await convert(rows)).map(isUnlike), convert };
}

/**
 * Writes what `write` of each field makes of its values. Fingerprints stay, because a unique index compares those of all rows, also
 * while some are ciphertexts.
 */
export function decrypting(target: Target, codec: RowsCodec, leaveErased = false): Work {
  const { fields, table } = target.plan;
  const sealedIn = (values: Texts) =>
    fields.filter(({ name }) => (headIn(values[name]) ?? 'plaintext') !== 'plaintext');
  const isLeft = (values: Texts): boolean => sealedIn(values).length > 0;
  return {
    isLeft,
    async convert(rows) {
      const outcomes = await convertRows(target, codec, rows, (row) =>
        isLeft(row.values) ? { row, replaced: sealedIn(row.values) } : undefined,
      );
      return rows.map(({ id, values }, at) => {
        const outcome = outcomes[at] ?? { failures: [] };
        const isErased = outcome.isErased || outcome.failures.some(({ code }) => code === 'subject_erased');
        // What is not of the person can still be read.
        if (!isErased || !sealedIn(values).every((each) => Object(headIn(values[each.name])).isOfPerson)) {
          return outcome;
        }
        return leaveErased ? { isErased, failures: [] } : { failures: [refusalOf('erased', id, table)] };
      });
    },
  };
}

/** Encrypts all values of a row again, if one of them is not under the newest version of its key. */
export function reencrypting(
  target: Target,
  codec: RowsCodec,
  rewraps: Rewraps,
  client: FieldsClient & HalfClient,
): Work {
  const { plan } = target;
  const findHalf = createHalfFinder(target, client);
  const findRenamed = renamedIn(target, client, plan.fields);
  const isOurs = (head: { readonly keyId: string }, { keyIds }: Target['plan']['fields'][number]): boolean =>
    head.keyId === (keyIds?.[0] ?? client.keyId)?.toLowerCase();
  const oldIn = (values: Texts) =>
    plan.fields.filter((field) => {
      const head = headIn(values[field.name]);
      if (typeof head !== 'object') return head !== undefined;
      const isOfNobody = plan.subject !== undefined && !head.isOfPerson;
      return isOfNobody || head.isIntake || !isOurs(head, field) || rewraps.isOld(head);
    });
  async function learnVersions(row: TableRow, values: Texts): Promise<void> {
    for (const field of plan.fields) {
      const text = values[field.name];
      const head = headIn(text);
      if (
        typeof text === 'string' &&
        typeof head === 'object' &&
        isOurs(head, field) &&
        !rewraps.knows(head)
      ) {
        await rewraps.rewrap(row, field.name, text);
      }
    }
  }
  /** Whether a value of a row is not under the client's first half. */
  async function hasOtherHalf(row: TableRow): Promise<boolean> {
    for (const { name } of findHalf ? plan.fields : []) {
      const text = row.values[name];
      if (typeof text === 'string' && !(await findHalf?.(row, text))?.isFirst) return true;
    }
    return false;
  }
  return {
    isLeft: (values) => oldIn(values).length > 0,
    leftIn:
      (findHalf ?? findRenamed) &&
      (async (rows) => {
        const renamed = await findRenamed?.(rows);
        const isOther = async (row: TableRow) => renamed?.has(row) || hasOtherHalf(row).catch(() => true);
        return Promise.all(rows.map(isOther));
      }),
    async convert(rows) {
      const renamed = await findRenamed?.(rows);
      const outcomes = await convertRows(target, codec, rows, async (row) => {
        await learnVersions(row, row.values);
        const isOld = oldIn(row.values).length > 0 || renamed?.has(row) || (await hasOtherHalf(row));
        return isOld ? { row, replaced: plan.fields } : undefined;
      });
      for (const [at, row] of rows.entries()) {
        const changed = outcomes[at]?.changed ?? {};
        try {
          await learnVersions(row, changed);
          const [old] = oldIn(changed);
          if (old) outcomes[at] = { failures: [refusalOf('key_version', row.id, old.place)] };
        } catch (error) {
          outcomes[at] = outcomeOf(error, row, plan);
        }
      }
      return outcomes;
    },
  };
}

async function convertRows(
  { name: table, plan, asPlaintext, open: openOld }: Target,
  codec: RowsCodec,
  rows: readonly TableRow[],
  jobOf: (row: TableRow) => Job | undefined | Promise<Job | undefined>,
  sealing = codec,
): Promise<Outcome[]> {
  const outcomes = new Map<TableRow, Outcome>();
  const fail = (row: TableRow, error: unknown): void => {
    outcomes.set(row, outcomeOf(error, row, plan));
  };
  const jobs: Job[] = [];
  for (const row of rows) {
    try {
      const job = await jobOf(row);
      if (job) jobs.push(job);
    } catch (error) {
      fail(row, error);
    }
  }
  const open = async (some: readonly Job[], options: object = {}) => {
    const stored: { row: TableRow; values: Row }[] = [];
    for (const { row } of some) {
      stored.push({
        row,
        values: { ...row.others, ...row.person, ...row.values, ...(await openOld?.(row)) },
      });
    }
    const opened = await codec.decryptRows(table, ...withIds(stored), { settled: true, ...options });
    return some.map((job, at) => ({ job, result: opened[at] as SettledRow<Row> }));
  };
  const opened = await open(jobs);
  const isNamed = ({ job, result }: (typeof opened)[number]) =>
    !result.ok && asPlaintext?.has(String(job.row.id)) === true;
  // Only what does not open: an earlier run may have encrypted the others.
  const named = opened.filter(isNamed).map(({ job: { row } }) => ({ row, replaced: plan.fields }));
  const texts = await open(named, { onError: ({ field }: FieldError, stored: Row) => stored[field] });
  const plain = [...opened.filter((each) => !isNamed(each)), ...texts].flatMap(({ job, result }) => {
    if (!result.ok) fail(job.row, result.error);
    if (!result.ok || !job.replaced) return [];
    const own = Object.entries(result.value).filter(([name]) => !Object.hasOwn(job.row.others, name));
    return [{ ...job, values: Object.fromEntries(own) }];
  });
  const sealed: ((typeof plain)[number] & { readonly before: Row })[] = [];
  async function encrypt(some: typeof plain): Promise<void> {
    try {
      const encrypted = await sealing.encryptRows(table, ...withIds(some));
      sealed.push(...some.map((job, at) => ({ ...job, before: job.values, values: encrypted[at] as Row })));
    } catch (error) {
      const [first, ...others] = some;
      if (first && others.length === 0) return fail(first.row, error);
      // One row that cannot be encrypted must not stop the others of its page.
      const middle = Math.ceil(some.length / 2);
      await encrypt(some.slice(0, middle));
      await encrypt(some.slice(middle));
    }
  }
  if (plain.length > 0) await encrypt(plain);
  // Nothing is stored before the service has opened its data key again.
  const toProve = sealing === codec ? sealed : [];
  const proofs = await codec.decryptRows(table, ...withIds(toProve), { settled: true });
  for (const [at, job] of sealed.entries()) {
    const proof = proofs[at];
    // What `write` of `plaintext` made of a value must be read as the value again.
    const isKept = ({ name, field: { type } }: FieldPlan, read: Row): boolean =>
      typeof job.values[name] === 'string' &&
      equalBytes(type.encode(job.before[name]), type.encode(read[name]));
    const isOld = ({ name, field }: FieldPlan) => writesOlder(field) && (job.values[name] ?? null) !== null;
    const lost = proof?.ok && plan.fields.find((each) => isOld(each) && !isKept(each, proof.value));
    if (lost) outcomes.set(job.row, { failures: [refusalOf('unread', job.row.id, lost.place)] });
    else if (!proof || proof.ok) {
      outcomes.set(job.row, { changed: changesOf(plan, job, job.values as Texts), failures: [] });
    } else if (proof.error.code !== 'decryption') fail(job.row, proof.error);
    else fail(job.row, new FieldError(unsound(), proof.error));
  }
  return rows.map((row) => outcomes.get(row) ?? { failures: [] });
}

function withIds(
  rows: readonly { readonly row: TableRow; readonly values: Row }[],
): [rows: Row[], idOf: IdOf] {
  const ids = new Map(rows.map(({ row, values }) => [values, row.id]));
  return [rows.map(({ values }) => values), (values) => ids.get(values) as RowId];
}

function outcomeOf(error: unknown, { id, values }: TableRow, { table, fields }: Target['plan']): Outcome {
  const failure = failureOf(error, id, table);
  const { code, field = '', message } = failure;
  const isCiphertext = typeof headIn(values[field]) === 'object';
  if (isCiphertext && (code === 'decryption' || code === 'format')) {
    const hint =
      '; if it is plaintext that looks like a ciphertext, store it with a field that has `allowCiphertexts`, and ' +
      'otherwise restore the row';
    return { failures: [{ ...failure, message: message + hint }] };
  }
  const heads = fields.map(({ name }) => headIn(values[name]));
  // What is not a ciphertext of the erased person can still be read, so the row is a failure.
  const isLost = heads.every((head) => head === undefined || (typeof head === 'object' && head.isOfPerson));
  return code === 'subject_erased' && isLost ? { isErased: true, failures: [] } : { failures: [failure] };
}

/** Whether an index column is NULL although its fields have values, for example because the index is new. */
function lacksIndex(plans: Target['plan']['fields'], values: Texts): boolean {
  const indexes = plans.flatMap((plan) => plan.indexes);
  return indexes.some(
    ({ column, fields }) => !values[column] && fields.every(({ name }) => typeof values[name] === 'string'),
  );
}

/** The new texts of fields that are replaced, and of the index columns. */
function changesOf({ fields }: Target['plan'], { row, replaced }: Job, encrypted: Texts): Texts | undefined {
  const kept = new Set(fields.filter((field) => !replaced?.includes(field)).map(({ name }) => name));
  const changed = Object.entries(encrypted).filter(
    ([name, value]) =>
      !kept.has(name) && !Object.hasOwn(row.person, name) && (row.values[name] ?? null) !== value,
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}
