import { inspect } from 'node:util';
import { problem } from '@eaas/protocol/wire';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { retryAtOnce } from '@eaas/test-kit/retry-at-once';
import type { EaasEvent } from '../index.ts';
import { type Authorize, createTransport, type TransportOptions } from './transport.ts';
import { mask, maxBytes } from './exchange.ts';

const keyId = '00000000-0000-4000-8000-00000000000a';
const apiKey = `eaas_sk_${'7'.repeat(49)}`;
const dek = `${'Q'.repeat(43)}=`;
const hashed = { hash: 'ab'.repeat(32), key_id: keyId };

function setUp(answer: (attempt: number) => Response, options: Partial<TransportOptions> = {}) {
  let attempts = 0;
  const fetch = async (): Promise<Response> => answer(++attempts);
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-session': 'cookie-of-the-visitor',
    'x-v': '1',
  };
  const authorize: Authorize = (_, input, send) => send(headers, input);
  const events: EaasEvent[] = [];
  const emit = (event: EaasEvent) => void events.push(event);
  const call = createTransport({ baseUrl: 'https://eaas.example', fetch, ...options }, authorize, emit);
  const hash = (value = 'x'): Promise<unknown> =>
    call('POST /v1/hash', { key_id: keyId, value }).catch((error: unknown) => error);
  return { call, hash, events, attempts: () => attempts };
}

const streamed = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Response =>
  new Response(new ReadableStream({ start }));

afterEach(() => void vi.useRealTimers());

test('`fetch` is called as a plain function, as browsers require', async () => {
  const receivers: unknown[] = [];
  async function strictFetch(this: unknown): Promise<Response> {
    receivers.push(this);
    return Response.json(hashed);
  }
  const { hash } = setUp(() => new Response(), { fetch: strictFetch });
  expect(await hash()).toEqual(hashed);
  expect(receivers).toEqual([undefined]);
});

test('a response with the id of another key throws `invalid_response`', async () => {
  const { hash } = setUp(() => Response.json({ ...hashed, key_id: keyId.replace(/a$/, 'b') }));
  expect(await hash()).toMatchObject({ code: 'invalid_response' });
});

describe('responses of a gateway', () => {
  retryAtOnce();

  test.each([
    [502, '<h1>Bad Gateway</h1>'],
    [503, '{}'],
    [504, ''],
  ])('the response %d %j is `unavailable`, and the client repeats the request', async (status, body) => {
    const { hash, attempts } = setUp(() => new Response(body, { status, headers: { 'retry-after': '0' } }));
    const message = `a proxy responded with the status ${status}, because it reaches no server that is ready`;
    expect(await hash()).toMatchObject({ code: 'unavailable', retryable: true, status, message });
    expect(attempts()).toBe(3);
  });

  test.each([400, 404, 418, 429, 500, 501])(
    'a call throws `invalid_response` for the status %d without a problem document',
    async (status) => {
      const { hash } = setUp(() => new Response('<html>', { status }), { retries: 0 });
      expect(await hash()).toMatchObject({ code: 'invalid_response', retryable: false, status });
    },
  );
});

describe('problem documents without `code`', () => {
  const answering = (body: object, status: number) =>
    setUp(() => Response.json(body, { status, headers: { 'x-request-id': 'r-1' } }), { retries: 0 }).hash();

  test.each([
    [400, 'Bad Request', 'The field `value` is missing.', 'bad_request'],
    [401, 'Unauthorized', 'Pass a valid API key.', 'unauthorized'],
    [403, 'Forbidden', 'The permission is missing.', 'permission_missing'],
    [403, 'Forbidden', 'E_ENVELOPE_ONLY: encrypt locally.', 'envelope_only'],
    [404, 'Not Found', 'Key not found.', 'not_found'],
    [429, 'Quota Exceeded', 'The quota is used up.', 'quota_exceeded'],
  ])(
    'for the response %d %s %j without `code`, a call throws an error with the code %s',
    async (status, title, detail, code) => {
      const error = await answering({ type: 'about:blank', title, status, detail }, status);
      expect(error).toMatchObject({ name: 'ServiceError', code, status, requestId: 'r-1' });
      expect(String(error)).toContain(detail);
    },
  );

  test.each([{ detail: 'Not Found' }, { type: 'about:blank', title: 'Not Found', status: 400, detail: 'x' }])(
    'a call throws `invalid_response` for a 404 response with the body %j',
    async (body) =>
      expect(await answering(body, 404)).toMatchObject({ code: 'invalid_response', status: 404 }),
  );
});

describe('bodies of responses', () => {
  test('if a response is not JSON, the error asks whether the URL is right', async () => {
    const { hash } = setUp(() => new Response('<!doctype html>'));
    const message = 'the service did not respond with JSON: is its URL right?';
    expect(await hash()).toMatchObject({ code: 'invalid_response', message });
  });

  test('the client sends a request again if the response body does not arrive within `timeouts.attempt`', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const cancelled = vi.fn<() => void>();
    const stalled = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"hash":')),
      cancel: cancelled,
    });
    const { hash, attempts } = setUp(
      (attempt) => (attempt === 1 ? new Response(stalled) : Response.json(hashed)),
      { timeouts: { attempt: 1_000, total: 30_000 } },
    );
    const hashing = hash();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(attempts()).toBe(2);
    expect(await hashing).toEqual(hashed);
    expect(cancelled).toHaveBeenCalledOnce();
  });

  test('a late body of an earlier attempt does not replace the response of a later attempt', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const late = { hash: 'cd'.repeat(32), key_id: keyId };
    const slow = (body: object, delay: number): Response => {
      const text = () =>
        new Promise<string>((resolve) => setTimeout(() => resolve(JSON.stringify(body)), delay));
      return { status: 200, ok: true, headers: new Headers(), text } as Response;
    };
    const { hash } = setUp((attempt) => (attempt === 1 ? slow(late, 1_500) : slow(hashed, 900)), {
      timeouts: { attempt: 1_000, total: 30_000 },
    });
    const hashing = hash();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await hashing).toEqual(hashed);
  });

  test('the client repeats an attempt whose connection breaks in the body', async () => {
    const { hash, attempts } = setUp((attempt) =>
      attempt === 1
        ? streamed((controller) => controller.error(new TypeError('terminated')))
        : Response.json(hashed),
    );
    expect(await hash()).toEqual(hashed);
    expect(attempts()).toBe(2);
  });

  test('a body of 16 MiB is read', async () => {
    const text = JSON.stringify(hashed);
    const { hash } = setUp(() => new Response(text + ' '.repeat(maxBytes - text.length)));
    expect(await hash()).toEqual(hashed);
  });

  test('the client stops reading a body after 16 MiB, and throws `invalid_response`', async () => {
    const chunk = new Uint8Array(2 ** 20).fill(32);
    let sent = 0;
    const cancelled = vi.fn<() => void>();
    const endless = (): Response =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            sent += chunk.length;
            controller.enqueue(chunk);
          },
          cancel: cancelled,
        }),
      );
    const { hash, attempts } = setUp(endless);
    expect(await hash()).toMatchObject({ code: 'invalid_response' });
    expect(attempts()).toBe(1);
    expect(cancelled).toHaveBeenCalledOnce();
    expect(sent).toBeLessThanOrEqual(maxBytes + 3 * chunk.length);
  });

  test.each(['', 'null', '[]', '"text"', '{"hash":'])(
    'a call throws `invalid_response` for the response body %j',
    async (body) => {
      const { hash, attempts } = setUp(() => new Response(body));
      expect(await hash()).toMatchObject({ code: 'invalid_response' });
      expect(attempts()).toBe(1);
    },
  );
});

describe('receipts in events', () => {
  retryAtOnce();
  const hash = 'ab'.repeat(32);
  const receipt = (id: number) => ({ 'eaas-entry': `${id} ${hash}` });
  const wrapped = { wrapped_key: 'AQ==', key_id: keyId, key_version: 1 };
  const wrap = ({ call }: Pick<ReturnType<typeof setUp>, 'call'>) =>
    call('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek }).catch((error: unknown) => error);

  test('the event of a call has the entry that the response names', async () => {
    const service = setUp(() => Response.json(wrapped, { headers: receipt(48_213) }));
    expect(await wrap(service)).toEqual(wrapped);
    expect(service.events).toMatchObject([{ type: 'call', attempts: 1, entry: { id: 48_213, hash } }]);
    const silent = setUp(() => Response.json(wrapped));
    await wrap(silent);
    const route = 'POST /v1/keys/:key_id/wrap';
    expect(silent.events).toEqual([{ type: 'call', route, attempts: 1, milliseconds: expect.any(Number) }]);
  });

  test('the event of a repeated and refused call has the entry of the last response, beside the code', async () => {
    const body = problem('wrapped_key_unauthentic', 'The wrapped key was altered.');
    const service = setUp((attempt) =>
      attempt < 3
        ? new Response('', { status: 503, headers: receipt(attempt) })
        : Response.json(body, { status: body.status, headers: receipt(attempt) }),
    );
    expect(await wrap(service)).toMatchObject({ code: 'wrapped_key_unauthentic' });
    expect(service.events).toMatchObject([{ code: body.code, attempts: 3, entry: { id: 3, hash } }]);
  });

  test('the event of a batch has the entries of its items, in their order', async () => {
    const error = problem('wrapped_key_unauthentic', 'The wrapped key was altered.');
    const results = [
      { ...wrapped, entry: { id: 8, hash } },
      { error: problem('not_found', 'Key not found.') },
      { error, entry: { id: 9, hash } },
    ];
    const { call, events } = setUp(() => Response.json({ results }));
    const items = results.map(() => ({ key_id: keyId, dek }));
    expect(await call('POST /v1/batch/wrap', { items })).toEqual({ results });
    expect(events).toMatchObject([
      {
        entries: [
          { id: 8, hash },
          { id: 9, hash },
        ],
      },
    ]);
    expect(events[0]).not.toHaveProperty('entry');
  });

  test.each(['', '7', `7 ${hash}0`, `-7 ${hash}`, `7 ${apiKey}`, `${'9'.repeat(16)} ${hash}`])(
    'an event shows no header that is not a receipt: %j',
    async (text) => {
      const service = setUp(() => Response.json(wrapped, { headers: { 'eaas-entry': text } }));
      expect(await wrap(service)).toEqual(wrapped);
      expect(service.events[0]).not.toHaveProperty('entry');
    },
  );
});

describe('secrets that a faulty gateway copies into `detail`', () => {
  const refusing = (detail: string) => () => Response.json(problem('bad_request', detail), { status: 400 });
  const shown = (error: unknown): string => inspect(error, { depth: 9, showHidden: true });

  test('the message of an error shows no API key, no header and no data key', async () => {
    const other = `eaas_sk_${'z'.repeat(10)}`;
    const { call } = setUp(
      refusing(`Not valid: Bearer ${apiKey}, ${other}, cookie-of-the-visitor, {"dek":"${dek}"}, 1 to 2.`),
    );
    const error = await call('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek }).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/^Not valid: .* 1 to 2\.$/),
    });
    for (const secret of [apiKey, other, 'cookie-of', dek, 'QQQ', '777']) {
      expect(shown(error)).not.toContain(secret);
    }
  });

  test.each([
    ['a value', 'Ada Lovelace', 'the value Ada Lovelace is refused'],
    ['a value as JSON', 'say "hi"\n', '{"value":"say \\"hi\\"\\n"} is refused'],
    ['a value with special characters', 'a.b*c(d', 'got a.b*c(d twice: a.b*c(d'],
    ['a short value', 'Ada', 'the value Ada, not (Ada)'],
  ])('the message of an error does not show %s', async (_, value, detail) => {
    const error = await setUp(refusing(detail)).hash(value);
    expect(error).toMatchObject({ code: 'bad_request' });
    expect(shown(error)).not.toContain(value);
    expect(shown(error)).not.toContain(JSON.stringify(value).slice(1, -1));
    expect((error as Error).message).toContain('…');
  });

  test('a value of one letter is not masked in the message of an error', async () => {
    const { hash } = setUp(refusing('Pass a valid key.'));
    expect(await hash('e')).toMatchObject({ message: 'Pass a valid key.' });
    expect(await hash('')).toMatchObject({ message: 'Pass a valid key.' });
  });

  test('a secret that contains another secret is masked completely', () => {
    expect(mask('no: Ada Lovelace, Ada', ['Ada', 'Ada Lovelace'])).toBe('no: …, …');
    expect(mask('no: Lovelace, Ada Lovelace', ['Lovelace', 'Ada Lovelace'])).toBe('no: …, …');
  });

  test('the results of a batch show no secret of their items', async () => {
    const error = (detail: string) => ({ error: problem('bad_request', detail) });
    const results = [error(`no: ${dek}`), error('no: Ada Lovelace')];
    const { call } = setUp(() => Response.json({ results }));
    const items = ['Grace Hopper', 'Ada Lovelace'].map((value) => ({ key_id: keyId, value }));
    const output = await call('POST /v1/batch/hash', { items });
    expect(output.results.map((result) => ('error' in result ? result.error.detail : ''))).toEqual([
      'no: …',
      'no: …',
    ]);
  });
});
