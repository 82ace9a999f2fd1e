import { type Context, DecryptionError, encodeContext, parseEnvelope, toUtf8 } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { isSubjectWrapped } from '@eaas/protocol/internal';
import { type ValueCalls, ConversionError, type Convert, unsuitable } from './convert.ts';
import { type EncryptPlan, type Opening, type ReencryptPlan, type Sealing, settingsAt } from './plan.ts';
import { withoutNobody } from '../options/people.ts';
import { formOf, inFormOf, isIntake, type StoredRow } from './store.ts';
import type { Proof } from './verify.ts';

type Stored = string | Uint8Array;

export function encrypting<Row extends StoredRow>(
  plan: EncryptPlan<Row>,
  calls: ValueCalls,
  proof: Proof | undefined,
): Convert<Row> {
  const seal = sealing(calls, proof);
  return async (value) => {
    const { stored } = value;
    const { kind } = formOf(stored);
    if (kind === 'broken') throw unsuitable(kind);
    return kind === 'plaintext' ? seal(stored, stored, settingsAt(plan.to, value, 'to')) : undefined;
  };
}

export function moving<Row extends StoredRow>(
  plan: ReencryptPlan<Row>,
  calls: ValueCalls,
  proof: Proof | undefined,
  keyVersions: Record<string, number>,
): Convert<Row> {
  const seal = sealing(calls, proof, plan.keyVersion);
  return async (value) => {
    const form = formOf(value.stored);
    if (form.kind !== 'envelope') throw unsuitable(form.kind);
    const to = settingsAt(plan.to, value, 'to');
    let from = plan.from ? settingsAt(plan.from, value, 'from') : openingOf(to);
    const { keyId, keyVersion } = form.header;
    const target = (to.keyId ?? calls.keyId)?.toLowerCase();
    if (target !== undefined && plan.keyVersion !== undefined) keyVersions[target] = plan.keyVersion;
    const isUnderTarget = keyId === target;
    const isRecent = isUnderTarget && keyVersion >= (plan.keyVersion ?? Infinity) && !isIntake(form.header);
    if (isUnderTarget && !accepts(from, keyId)) {
      // The app or an earlier run encrypted this value with the options in `to`.
      if (isRecent || plan.keyVersion === undefined) return undefined;
      from = openingOf(to);
    }
    if (isSubjectWrapped(form.header.wrappedKey)) {
      if (from.subject === undefined && to.subject !== undefined) {
        // The app or an earlier run gave this value to its person, because `from` describes the values of nobody.
        if (isUnderTarget && (isRecent || plan.keyVersion === undefined)) return undefined;
        from = isUnderTarget ? openingOf(to) : { ...from, subject: to.subject };
      }
    } else from = withoutNobody({ ...from, subject: undefined });
    const keepsContexts =
      isSame(from.context, to.context) &&
      isSame(from.wrapContext, to.wrapContext) &&
      from.subject === to.subject;
    if (keepsContexts && isRecent) return undefined;
    let opened: Uint8Array;
    try {
      opened = await calls.open(form.bytes, from);
    } catch (error) {
      if (keepsContexts || !(error instanceof DecryptionError)) throw error;
      // Skips a value that an earlier run has already converted: the new context decrypts such a value.
      const converted = await calls.open(form.bytes, openingOf(to)).catch(() => undefined);
      if (!converted) throw error;
      converted.fill(0);
      return undefined;
    }
    return seal(value.stored, opened, to).finally(() => opened.fill(0));
  };

  function accepts({ anyKey, keyId: expected = calls.keyId ?? [] }: Opening, keyId: string): boolean {
    const ids = anyKey ? [] : [expected].flat();
    return ids.length === 0 || ids.some((id) => id.toLowerCase() === keyId);
  }
}

function sealing(calls: ValueCalls, proof: Proof | undefined, leastVersion = 0) {
  return async (stored: Stored, plaintext: Stored, to: Sealing): Promise<Stored> => {
    const { ciphertext } = await calls.seal(plaintext, to);
    const bytes = fromBase64(ciphertext);
    if (parseEnvelope(bytes).keyVersion < leastVersion) throw new ConversionError('key_version');
    await proof?.requireOpens(bytes, typeof plaintext === 'string' ? toUtf8(plaintext) : plaintext, to);
    return inFormOf(stored, bytes);
  };
}

function openingOf({ keyId, context, subject, wrapContext }: Sealing): Opening {
  return withoutNobody({ keyId, context, subject, wrapContext });
}

function isSame(one: Context | undefined, other: Context | undefined): boolean {
  return toBase64(encodeContext(one)) === toBase64(encodeContext(other));
}
