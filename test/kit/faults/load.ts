import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Place, send } from './client.ts';
import type { Entry } from './place.ts';

export interface Sent extends Answer {
  readonly place: Place;
  readonly action: string;
  /**
   * One text for each expected audit entry. It contains the action, the key and the number that the request put into
   * its context.
   */
  readonly entries: readonly string[];
}

export interface LoadOptions {
  readonly places: readonly Place[];
  readonly token: string;
  readonly keyId: string;
  readonly workers: number;
  readonly rest?: number;
  readonly changes?: boolean;
}

let last = 0;
const nextNumber = (): string => String(++last);

export const newDek = (): string => randomBytes(32).toString('base64');

export class Load {
  readonly sent: Sent[] = [];
  readonly #options: LoadOptions;
  readonly #workers: Promise<void>[];
  #stopped = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#workers = options.places.flatMap((place) =>
      Array.from({ length: options.workers }, () => this.#work(place)),
    );
  }

  async stop(): Promise<readonly Sent[]> {
    this.#stopped = true;
    await Promise.all(this.#workers);
    return this.sent;
  }

  async #work(place: Place): Promise<void> {
    const { rest = 0, changes = false } = this.#options;
    while (!this.#stopped) {
      const { status } = await this.#envelope(place);
      await this.#serverMode(place);
      await this.#batch(place);
      if (changes) await this.#change(place);
      // Without a pause, a server that refuses connections would get thousands of requests.
      await sleep(status === 0 ? Math.max(rest, 20) : rest);
    }
  }

  async #envelope(place: Place): Promise<Answer> {
    const path = `/v1/keys/${this.#options.keyId}`;
    const n = nextNumber();
    const wrap = await this.#send(place, 'key.wrap', [n], `${path}/wrap`, { dek: newDek(), context: { n } });
    const { wrapped_key } = wrap.body;
    if (wrap.status !== 200) return wrap;
    return this.#send(place, 'key.unwrap', [n], `${path}/unwrap`, { wrapped_key, context: { n } });
  }

  async #serverMode(place: Place): Promise<void> {
    const n = nextNumber();
    const inside = { key_id: this.#options.keyId, context: { n } };
    const encrypt = await this.#send(place, 'encrypt', [n], '/v1/encrypt', { plaintext: 'x', ...inside });
    const { ciphertext, key_version } = encrypt.body;
    if (encrypt.status !== 200) return;
    await this.#send(place, 'decrypt', [n], '/v1/decrypt', { ciphertext, key_version, ...inside });
  }

  async #batch(place: Place): Promise<void> {
    const numbers = [nextNumber(), nextNumber()];
    const items = numbers.map((n) => ({ key_id: this.#options.keyId, dek: newDek(), context: { n } }));
    await this.#send(place, 'key.wrap', numbers, '/v1/batch/wrap', { items });
  }

  async #change(place: Place): Promise<void> {
    const { token } = this.#options;
    const created = await send(place, token, 'POST', '/v1/keys', {
      name: randomBytes(8).toString('hex'),
    });
    const keyId = String(created.body['key_id']);
    this.sent.push({ ...created, place, action: 'key.create', entries: [entryOf('key.create', keyId)] });
    if (created.status !== 201) return;
    const read = await send(place, token, 'GET', `/v1/keys/${keyId}`);
    this.sent.push({ ...read, place, action: 'read', entries: [] });
  }

  async #send(
    place: Place,
    action: string,
    numbers: readonly string[],
    path: string,
    body: unknown,
  ): Promise<Answer> {
    const { token, keyId } = this.#options;
    const answer = await send(place, token, 'POST', path, body);
    const entries = numbers.map((number) => entryOf(action, keyId, number));
    this.sent.push({ ...answer, place, action, entries });
    return answer;
  }
}

function entryOf(action: string, keyId: string | null, number?: string): string {
  return `${action} ${keyId} ${number ?? ''}`;
}

export const succeeded = ({ status }: Answer): boolean => status === 200 || status === 201;

export function unrecorded(sent: readonly Sent[], log: readonly Entry[]): string[] {
  const recorded = new Set(
    log.map(({ action, key_id, metadata }) => entryOf(action, key_id, metadata.context?.['n'])),
  );
  return sent
    .filter(succeeded)
    .flatMap(({ entries }) => entries)
    .filter((entry) => !recorded.has(entry));
}

export function tally(sent: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of sent) {
    const kind = `${status} ${code}`.trim();
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

export function longest(sent: readonly Answer[]): number {
  return sent.reduce((most, { sentAt, answeredAt }) => Math.max(most, answeredAt - sentAt), 0);
}
