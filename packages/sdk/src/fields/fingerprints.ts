import { pae } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import type { EnvelopeClient } from '../envelope-client.ts';
import type { Settled } from '../errors.ts';
import { settle } from '../settled.ts';
import type { CallOptions } from '../transport.ts';
import { inGroups } from './in-groups.ts';
import { type IndexKey, indexKeyOf } from './index-key.ts';
import type { FieldPlan } from './plan.ts';

/**
 * Where fingerprints are made. `service`: by the service, under a key of the field's; it sees every value that is stored
 * or searched. A token of `createIndexKey`: here; no value leaves the process.
 */
export type IndexSource = 'service' | (string & {});

/** A value to be fingerprinted: normalized, and encoded. */
export interface Subject {
  readonly plan: FieldPlan;
  readonly bytes: Uint8Array;
}

export interface Fingerprints {
  /** The fingerprints to write: by the first source, under the first key of each field. */
  written(subjects: readonly Subject[], options: CallOptions): Promise<Settled<string>[]>;
  /** All fingerprints that a row with this value may have: by every source, under every key. */
  possible(subject: Subject, options: CallOptions): Promise<Settled<string>[]>;
  /** Forgets the index keys. */
  drop(): void;
}

/** One fingerprint to make. */
interface Task {
  readonly subject: Subject;
  readonly source: IndexKey | 'service';
  /** The service's key; undefined is the client's own. */
  readonly keyId: string | undefined;
}

/** Makes the fingerprints of each source and key with one call. */
export function fingerprintsOf(
  client: Pick<EnvelopeClient, 'hashMany' | 'unwrap'>,
  given: readonly IndexSource[],
): Fingerprints {
  const sources = given.map((source) => (source === 'service' ? 'service' : indexKeyOf(client, source)));
  const local = sources.filter((source) => source !== 'service');

  const tasksOf = (subject: Subject): Task[] =>
    sources.flatMap((source) => {
      const keyIds = (source === 'service' && subject.plan.keyIds) || [undefined];
      return keyIds.map((keyId) => ({ subject, source, keyId }));
    });

  async function make(tasks: readonly Task[], { signal }: CallOptions): Promise<Settled<string>[]> {
    const whole = await inGroups(
      tasks,
      ({ source, keyId }) => (source === 'service' ? keyId : source),
      (key, group) => {
        const preimages = group.map(({ subject }) => preimage(subject));
        if (typeof key === 'object') return Promise.all(preimages.map((bytes) => settle(key.mac(bytes))));
        // The service takes text, and answers HMAC-SHA-256 of it under a key of its own.
        return client.hashMany(
          preimages.map((bytes) => toBase64(bytes)),
          { keyId: key, signal },
        );
      },
    );
    return whole.map((result, at) => {
      const bits = tasks[at]?.subject.plan.field.index?.bits ?? 256;
      return result.ok ? { ok: true, value: cut(result.value, bits) } : result;
    });
  }

  return {
    written: (subjects, options) =>
      make(
        subjects.flatMap((subject) => tasksOf(subject).slice(0, 1)),
        options,
      ),
    possible: (subject, options) => make(tasksOf(subject), options),
    drop: () => local.forEach((key) => key.drop()),
  };
}

/** What is fingerprinted: the value, bound to its field. The same value in another field looks like another one. */
function preimage({ plan, bytes }: Subject): Uint8Array<ArrayBuffer> {
  const { table, field } = plan.field.index?.boundTo ?? { table: plan.table, field: plan.name };
  return pae('eaas field index v1', table, field, bytes);
}

/** The first bits of a fingerprint, in as many hexadecimal digits as they take. */
function cut(fingerprint: string, bits: number): string {
  const digits = Math.ceil(bits / 4);
  const last = Number.parseInt(fingerprint.charAt(digits - 1), 16) & (0xf << (digits * 4 - bits));
  return fingerprint.slice(0, digits - 1) + last.toString(16);
}
