// The mode `rewrap`: the data key of each value is wrapped again, under the newest version of its key. No value is decrypted.
// What the service answers is also how `reencrypt` learns which version is the newest: no other permission tells it.
import { type EaasError, FormatError } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/internal-base64';
import {
  equalBytes,
  isSubjectWrapped,
  parseHeader,
  replaceWrapped,
  ServiceError,
  serviceForm,
  subjectForm,
  versionIn,
} from '@eaas/protocol/internal';
import type { EaasClient, UnwrapOptions } from '@eaas/sdk';
import { Bounded, failIn, subjectOfRow } from '@eaas/sdk/internal';
import { type Head, headIn } from './heads.ts';
import { failureOf, type Outcome, type RowFailure, type TableRow, type Work } from './rows.ts';
import type { Target } from './source.ts';

/** Why a row is not written: what the service answered would make its values unreadable. */
export const unsound = (): ServiceError =>
  new ServiceError(
    'invalid_response',
    'the service answered with a wrapped key that does not open the value, so the row stays as it was: ' +
      'find out why, and run again',
  );

/** Returns a function that asks the service once about each data key, and remembers many. A failure is asked again. */
export function remembering<T>() {
  const known = new Bounded<string, Promise<T>>((size) => size > 10_000);
  return (name: string, ask: () => Promise<T>): Promise<T> => {
    const answer = known.get(name) ?? ask();
    known.set(name, answer);
    answer.catch(() => known.delete(name));
    return answer;
  };
}

export type Rewraps = ReturnType<typeof createRewraps>;

export function createRewraps(
  { name: table, plan }: Target,
  client: Pick<EaasClient, 'rewrap' | 'unwrap'>,
  signal: AbortSignal | undefined,
) {
  const newest = new Map<string, number>();
  /** Values with one data key keep one, so that one unwrap still opens all of them. */
  const once = remembering<Awaited<ReturnType<typeof client.rewrap<string>>>>();

  const optionsFor = (row: TableRow, isOfRow: boolean): UnwrapOptions => {
    const subject = isOfRow ? subjectOfRow(plan, row.person, row.id, undefined, true) : undefined;
    return { ...(subject !== undefined && { subject }), signal };
  };

  const failAt = (row: TableRow, field: string) => failIn({ table, field, row: String(row.id) });

  async function rewrapText(row: TableRow, text: string): Promise<string | undefined> {
    const head = headIn(text);
    if (head === 'plaintext') {
      throw new FormatError("the stored value is not encrypted: run the mode 'encrypt' first");
    }
    if (typeof head !== 'object') {
      throw new FormatError(
        'the stored value begins like a ciphertext but is not valid: check whether the column is too short for it',
      );
    }
    const options = optionsFor(row, head.isOfPerson || head.isIntake);
    const bytes = fromBase64(text);
    const { keyId, wrappedKey } = parseHeader(bytes);
    const name = JSON.stringify([keyId, toBase64(wrappedKey), options.subject]);
    const { keyVersion, ...result } = await once(name, () => client.rewrap(text, options));
    const wrapped = parseHeader(fromBase64(result.ciphertext));
    // Without the right to unwrap, this is all that tells a new wrapped key from one that opens nothing.
    const form = options.subject === undefined ? serviceForm : subjectForm;
    const least = head.isIntake ? head.keyVersion : head.keyVersion + 1;
    const isSound = keyVersion >= least && versionIn(form, wrapped.wrappedKey) === keyVersion;
    if (result.rewrapped && (!isSound || wrapped.keyId !== keyId)) throw unsound();
    newest.set(keyId, Math.max(keyVersion, newest.get(keyId) ?? 0));
    return result.rewrapped ? toBase64(replaceWrapped(bytes, wrapped)) : undefined;
  }

  /** Throws if a rewrapped text has not the data key of the text before. A client that may not decrypt cannot tell. */
  async function requireDataKey(row: TableRow, texts: readonly string[]): Promise<void> {
    const unwrapped = texts.map((text) => {
      const wrapped = parseHeader(fromBase64(text));
      return client.unwrap(wrapped, optionsFor(row, isSubjectWrapped(wrapped.wrappedKey)));
    });
    const deks = await Promise.all(unwrapped).catch((error: EaasError) => {
      // Of a person who was erased meanwhile, no data key is left to compare.
      if (['permission_missing', 'subject_erased'].includes(error.code)) return [];
      throw error.code === 'decryption' ? unsound() : error;
    });
    const isSame = deks.every((dek) => equalBytes(dek, deks[0] ?? dek));
    for (const dek of deks) dek.fill(0);
    if (!isSame) throw unsound();
  }

  return {
    knows: ({ keyId }: Head): boolean => newest.has(keyId),
    /** Whether a value is under an older version. True as long as nothing is known of its key. */
    isOld: ({ keyId, keyVersion }: Head): boolean => keyVersion < (newest.get(keyId) ?? Infinity),
    /** Returns the text under the newest version, or undefined if it is so already. Throws FieldError. */
    rewrap: (row: TableRow, field: string, text: string): Promise<string | undefined> =>
      rewrapText(row, text).catch(failAt(row, field)),
    /** Throws FieldError if a text that `rewrap` returned does not open. */
    prove: (row: TableRow, field: string, text: string): Promise<void> =>
      requireDataKey(row, [row.values[field] ?? '', text]).catch(failAt(row, field)),
  };
}

export function rewrapping({ name: table, plan }: Target, rewraps: Rewraps): Work {
  const isOld = (text: string | null | undefined): boolean => {
    const head = headIn(text);
    return typeof head === 'object' ? head.isIntake || rewraps.isOld(head) : head !== undefined;
  };

  async function convertRow(row: TableRow): Promise<Outcome> {
    const changed: Record<string, string> = {};
    const failures: RowFailure[] = [];
    let isErased = false;
    const convert = async (name: string): Promise<void> => {
      const text = row.values[name];
      if (typeof text !== 'string' || !isOld(text)) return;
      try {
        const value = await rewraps.rewrap(row, name, text);
        if (value !== undefined) changed[name] = value;
      } catch (error) {
        const failure = failureOf(error, row.id, table);
        if (failure.code === 'subject_erased') isErased = true;
        else failures.push(failure);
      }
    };
    await Promise.all(plan.fields.map(({ name }) => convert(name)));
    return { ...(Object.keys(changed).length > 0 && { changed }), isErased, failures };
  }

  return {
    async convert(rows) {
      const outcomes = await Promise.all(rows.map(convertRow));
      const at = outcomes.findIndex(({ changed }) => changed);
      const [first] = Object.entries(outcomes[at]?.changed ?? {});
      // The first data key of a page stands for all of them: each unwrap is an entry of the log.
      if (first) await rewraps.prove(rows[at] as TableRow, first[0], first[1] ?? '');
      return outcomes;
    },
    isLeft: (values) => plan.fields.some(({ name }) => isOld(values[name])),
  };
}
