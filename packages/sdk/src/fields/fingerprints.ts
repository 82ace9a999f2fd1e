import { pae } from '@eaas/protocol/internal-core';
import { toBase64 } from '@eaas/protocol/base64';
import type { EnvelopeClient } from '../client/envelope-client.ts';
import type { SdkError, Settled } from '../errors.ts';
import type { CallOptions } from '../transport/transport.ts';
import { indexKeyOf } from './index-key.ts';
import type { FieldPlan, PartPlan } from './plan.ts';

/**
 * Where fingerprints are computed. With `service`, the service computes fingerprints and sees every stored or searched
 * value. With a token from `createIndexKey`, this process computes fingerprints, and the service never sees a value.
 */
export type IndexSource = 'service' | (string & {});

export interface Subject {
  readonly plan: FieldPlan;
  readonly bytes: string | Uint8Array;
  readonly part?: PartPlan;
}

export type Fingerprints = ReturnType<typeof fingerprintsOf>;

type Client = Pick<EnvelopeClient, 'hash' | 'unwrap'>;

export function fingerprintsOf(given: readonly IndexSource[]) {
  const sources = given.map((source) => (source === 'service' ? source : indexKeyOf(source)));

  /** The service never computes fingerprints of parts: parts are easy to guess, so only index keys protect them. */
  const tasksOf = (subject: Subject) =>
    sources.flatMap((source) => {
      const isLocal = typeof source === 'object';
      if (!isLocal && subject.part) return [];
      const keyIds = (!isLocal && subject.plan.keyIds) || [undefined];
      return keyIds.map((keyId) => ({ subject, source, keyId }));
    });

  type Tasks = ReturnType<typeof tasksOf>;
  const make = (client: Client, { signal }: CallOptions, tasks: Tasks): Promise<Settled<string>[]> =>
    Promise.all(
      tasks.map(async ({ subject: { plan, part, bytes }, source, keyId }): Promise<Settled<string>> => {
        try {
          const { label } = part ?? plan;
          const { index } = part ?? plan.field;
          const preimage = pae(...label, bytes);
          const options = { keyId, signal };
          const whole =
            typeof source === 'object'
              ? source.mac(client, preimage)
              : client.hash(toBase64(preimage), options);
          return { ok: true, value: cut(await whole, index?.bits ?? 256) };
        } catch (error) {
          return { ok: false, error: error as SdkError };
        }
      }),
    );

  return {
    written: (client: Client, subjects: readonly Subject[], options: CallOptions) =>
      make(
        client,
        options,
        subjects.flatMap((subject) => tasksOf(subject).slice(0, 1)),
      ),
    /** Returns, for each subject, its fingerprints under every key and index key. */
    async possible(
      client: Client,
      subjects: readonly Subject[],
      options: CallOptions,
    ): Promise<Settled<string>[][]> {
      const tasks = subjects.map(tasksOf);
      const all = await make(client, options, tasks.flat());
      return tasks.map(({ length }) => all.splice(0, length));
    },
    drop(): void {
      for (const source of sources) if (typeof source === 'object') source.drop();
    },
  };
}

/**
 * Returns undefined if the value is empty after normalization, because all empty values would have the same
 * fingerprint.
 */
export function subjectOf(plan: FieldPlan, value: unknown): Subject | undefined {
  const { type, index } = plan.field;
  // Checks the type: `encode` throws for a value of the wrong type, and `normalize` does not.
  type.encode(value);
  const bytes = type.encode(index ? index.normalize(value) : value);
  return bytes.length === 0 ? undefined : { plan, bytes };
}

function cut(fingerprint: string, bits: number): string {
  const digits = Math.ceil(bits / 4);
  const last = Number.parseInt(fingerprint.charAt(digits - 1), 16) & (0xf << (digits * 4 - bits));
  return fingerprint.slice(0, digits - 1) + last.toString(16);
}
