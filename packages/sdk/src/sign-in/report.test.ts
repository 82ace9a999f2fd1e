import { expect, test } from 'vitest';
import { type BrowserClientOptions, createBrowserClient } from '../browser/browser.ts';
import { all } from '../../test/observed-client.ts';
import { EaasClient, type EnvelopeClient } from '../index.ts';

const issuer = '00000000-0000-4000-8000-0000000000aa';
const baseUrl = 'https://eaas.example';
const createClient = (options: BrowserClientOptions): EnvelopeClient => new EaasClient(options);
const kinds = [createClient, createBrowserClient];

const tokenOf = (sub: string): string =>
  `a.${Buffer.from(JSON.stringify({ sub, iss: 'https://sign-in.example' })).toString('base64url')}.c`;

/** A service whose log about a user has entries of one user each second, 2 to a page. */
function setUp(create = createClient, entry: object = {}) {
  const sent: { url: URL; headers: Headers }[] = [];
  const signedIn = { user: 'ann' };
  const entries = [5, 4, 3, 2, 1].map((second) => {
    const user = `${second}`.repeat(32);
    const metadata = second === 4 ? { user, outcome: 'refused', code: 'decryption' } : { user };
    const created_at = `2026-11-20T08:14:0${second}.000Z`;
    return Object.assign({ action: 'key.unwrap', key_id: null, created_at, metadata }, entry);
  });
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const { url, headers } = new Request(input, init);
    sent.push({ url: new URL(url), headers });
    const { offset, date_to } = Object.fromEntries(new URL(url).searchParams);
    const until = entries.filter(({ created_at }) => date_to === undefined || created_at <= date_to);
    const logs = until.slice(Number(offset)).slice(0, 2);
    return Response.json({ logs, count: logs.length, total: until.length, limit: 2, offset: Number(offset) });
  };
  const client = create({ baseUrl, issuer, fetch, retries: 0, token: () => tokenOf(signedIn.user) });
  return { client, sent, signedIn };
}

test.each(kinds)('the report of a client with a sign-in is about its user: %o', async (create) => {
  const { client, sent } = setUp(create);
  const rows = await all(client.audit.report());
  const shown = rows.map(({ time, outcome }) => `${time.slice(17, 19)} ${outcome}`);
  expect(shown).toEqual(['05 done', '04 refused', '03 done', '02 done', '01 done']);
  expect(rows[0]).toEqual({
    time: '2026-11-20T08:14:05.000Z',
    action: 'key.unwrap',
    user: '5'.repeat(32),
    outcome: 'done',
  });
  for (const { url, headers } of sent) {
    expect(url.pathname).toBe('/v1/audit');
    expect(url.searchParams.get('subject_id')).toBe('me');
    expect(headers.get('eaas-issuer')).toBe(issuer);
  }
  const oldest = await all(client.audit.report({ order: 'oldest' }));
  expect(oldest).toEqual(rows.toReversed());
});

test.each(kinds)('a report ends with an error when another user signs in: %o', async (create) => {
  const { client, sent, signedIn } = setUp(create);
  const read = async (): Promise<void> => {
    for await (const { time } of client.audit.report()) if (time.includes(':04')) signedIn.user = 'ben';
  };
  await expect(read()).rejects.toThrow('another user has signed in since this call: call again');
  expect(sent).toHaveLength(1);
});

test.each<[string, { readonly audit: { report(): AsyncIterable<unknown> } }]>([
  [
    'an API key',
    new EaasClient({ baseUrl, apiKey: `eaas_sk_${'0'.repeat(43)}4C34ms`, fetch: () => expect.fail() }),
  ],
  ['a proxy', createBrowserClient({ proxyUrl: `${baseUrl}/eaas`, fetch: () => expect.fail() })],
])('a report of a client with %s needs a name', async (_, { audit }) => {
  await expect(all(audit.report())).rejects.toThrow(
    '`audit.report` needs a `subject` or `subjectId`: only the report of a client with `issuer` and `token` is about its user',
  );
});
