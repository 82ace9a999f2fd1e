// The mode `rewrap`: the data key of each value is wrapped again, under the newest version of its key. Nothing is decrypted.
// What the service answers is also how `reencrypt` learns which version is the newest: no other permission tells it.
import { FormatError } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { parseHeader, replaceWrapped, ServiceError, serviceForm, subjectForm } from '@eaas/protocol/internal';
import { versionIn } from '@eaas/protocol/internal';
import type { EaasClient } from '@eaas/sdk';
import { Bounded, inField, rowIdOf, subjectOfRow } from '@eaas/sdk/internal';
import { type Head, headIn } from './heads.ts';
import { failureOf, type Outcome, type RowFailure, type TableRow, type Work } from './rows.ts';
import type { Target } from './source.ts';

/** How many data keys are remembered with what the service answered. */
const mostRemembered = 10_000;

/** Why a row is not written: what the service answered would make its values unreadable. */
export const unsound = (): ServiceError =>
  new ServiceError(
    'invalid_response',
    'the service answered with a wrapped key that does not open the value, so the row stays as it was: ' +
      'find out why, and run again',
  );

/** Returns a function that asks the service once about each data key. A failure is asked again. */
export function remembering<T>() {
  const known = new Bounded<string, Promise<T>>((size) => size > mostRemembered);
  return (name: string, ask: () => Promise<T>): Promise<T> => {
    const before = known.get(name);
    if (before) return before;
    const answer = ask();
    known.set(name, answer);
    answer.catch(() => known.delete(name));
    return answer;
  };
}

export type Rewraps = ReturnType<typeof createRewraps>;

export function createRewraps(
  { name: table, plan }: Target,
  client: Pick<EaasClient, 'rewrap'>,
  signal: AbortSignal | undefined,
) {
  const newest = new Map<string, number>();
  /** Values with one data key keep one, so that one unwrap still opens all of them. */
  const once = remembering<Awaited<ReturnType<typeof client.rewrap<string>>>>();

  async function rewrapText(row: TableRow, text: string): Promise<string | undefined> {
    const head = headIn(text);
    if (head === 'plaintext')
      throw new FormatError("the stored value is not encrypted: run the mode 'encrypt' first");
    if (typeof head !== 'object')
      throw new FormatError(
        'the stored value begins like a ciphertext but is not valid: check whether the column is too short for it',
      );
    const isOfRow = head.isOfPerson || head.isIntake;
    const subject = isOfRow ? subjectOfRow(plan, row.person, rowIdOf(row.id), undefined, true) : undefined;
    const bytes = fromBase64(text);
    const { keyId, wrappedKey } = parseHeader(bytes);
    const options = { ...(subject !== undefined && { subject }), signal };
    const name = JSON.stringify([keyId, toBase64(wrappedKey), subject]);
    const { key_version: keyVersion, ...result } = await once(name, () => client.rewrap(text, options));
    const wrapped = { keyId: result.key_id, keyVersion, wrappedKey: fromBase64(result.wrapped_key) };
    // Without the right to unwrap, this is all that tells a new wrapped key from one that opens nothing.
    const form = subject === undefined ? serviceForm : subjectForm;
    const isSound = keyVersion >= head.keyVersion && versionIn(form, wrapped.wrappedKey) === keyVersion;
    if (result.rewrapped && (!isSound || wrapped.keyId !== keyId)) throw unsound();
    newest.set(keyId, Math.max(keyVersion, newest.get(keyId) ?? 0));
    return result.rewrapped ? toBase64(replaceWrapped(bytes, wrapped)) : undefined;
  }

  return {
    knows: ({ keyId }: Head): boolean => newest.has(keyId),
    /** Whether a value is under an older version. True as long as nothing is known of its key. */
    isOld: ({ keyId, keyVersion }: Head): boolean => keyVersion < (newest.get(keyId) ?? Infinity),
    /** Returns the text under the newest version, or undefined if it is so already. Throws FieldError. */
    rewrap: (row: TableRow, field: string, text: string): Promise<string | undefined> =>
      rewrapText(row, text).catch((error: unknown) =>
        inField({ table, field, row: String(row.id) }, () => {
          throw error;
        }),
      ),
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
    convert: (rows) => Promise.all(rows.map(convertRow)),
    isLeft: (values) => plan.fields.some(({ name }) => isOld(values[name])),
  };
}
