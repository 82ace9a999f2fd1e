import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tracer } from '@opentelemetry/api';
import { expect, expectTypeOf, test } from 'vitest';
import { retryAtOnce } from '@eaas/test-kit/retry-at-once';
import { observedClient } from '../../test/observed-client.ts';
import { tracingWith } from './tracing.ts';

interface Recorded {
  readonly name: string;
  readonly kind: number;
  readonly parent: Recorded | undefined;
  readonly attributes: Record<string, unknown>;
  status?: number;
  isOver: boolean;
}

/** Keeps the active span as OpenTelemetry's context manager does on Node. */
function recorder() {
  const active = new AsyncLocalStorage<Recorded>();
  const spans: Recorded[] = [];
  const tracer: Parameters<typeof tracingWith>[0] = {
    startActiveSpan(name, options, work) {
      const { kind, attributes } = options as { kind: number; attributes: object };
      const span: Recorded = {
        name,
        kind,
        parent: active.getStore(),
        attributes: { ...attributes },
        isOver: false,
      };
      spans.push(span);
      return active.run(span, work, {
        setAttributes: (more) => Object.assign(span.attributes, more),
        setStatus: ({ code }) => {
          span.status = code;
        },
        end: () => {
          span.isOver = true;
        },
      });
    },
  };
  const under = <T>(name: string, work: () => T): T => tracer.startActiveSpan(name, { kind: 0 }, work);
  const lines = () =>
    spans.map((span) => {
      const path = [];
      for (let one: Recorded | undefined = span; one; one = one.parent) path.unshift(one.name);
      return path.join(' > ');
    });
  return { tracing: tracingWith(tracer), spans, under, lines };
}

const wrap = 'POST /v1/keys/:key_id/wrap';
const unwrap = 'POST /v1/keys/:key_id/unwrap';

test('a cache miss, its call and the attempt are under the span of the app, and what is in memory has none', async () => {
  const { tracing, under, lines, spans } = recorder();
  const { make, keyId } = await observedClient();
  const client = make({ tracing });
  const context = { row: '1' };
  const ciphertext = await under('save', () => client.encrypt('x', { context }));
  await under('save again', () => client.encrypt('y', { context }));
  await under('show', () => client.decrypt(ciphertext, { context }));
  await under('search', () => client.hash('x'));
  expect(lines()).toEqual([
    'save',
    'save > eaas mint data key',
    `save > eaas mint data key > eaas ${wrap}`,
    `save > eaas mint data key > eaas ${wrap} > ${wrap}`,
    'save again',
    'show',
    'show > eaas unwrap data key',
    `show > eaas unwrap data key > eaas ${unwrap}`,
    `show > eaas unwrap data key > eaas ${unwrap} > ${unwrap}`,
    'search',
    'search > eaas POST /v1/hash',
    'search > eaas POST /v1/hash > POST /v1/hash',
  ]);
  expect(spans.filter(({ name, isOver }) => /eaas|POST/.test(name) && !isOver)).toEqual([]);
  expect(spans[3]).toMatchObject({
    kind: 2,
    attributes: {
      'http.request.method': 'POST',
      'url.template': '/v1/keys/:key_id/wrap',
      'server.address': expect.stringMatching(/./),
      'server.port': expect.any(Number),
      'http.response.status_code': 200,
    },
  });
  expect(spans[1]).toMatchObject({ kind: 0, attributes: { 'eaas.key_id': keyId } });
});

retryAtOnce();

test('an attempt that failed and the call that failed say the code, and a retry says that it is one', async () => {
  const { tracing, spans } = recorder();
  const { make, service } = await observedClient();
  const client = make({ tracing, retries: 1 });
  service.failNext('unavailable');
  await client.hash('x');
  service.failNext('key_state');
  await expect(client.hash('x')).rejects.toMatchObject({ code: 'key_state' });
  const told = spans.map(({ name, status, attributes: { 'error.type': type, ...more } }) => {
    return [name.split(' ')[0], status, type, more['http.request.resend_count']];
  });
  expect(told).toEqual([
    ['eaas', undefined, undefined, undefined],
    ['POST', 2, '503', undefined],
    ['POST', undefined, undefined, 1],
    ['eaas', 2, 'key_state', undefined],
    ['POST', 2, '409', undefined],
  ]);
});

test('no span says a value, a context, a person, an id of a user or a credential', async () => {
  const { tracing, spans } = recorder();
  const { make, service } = await observedClient();
  const client = make({ tracing });
  const secrets = ['a secret', 'row of a context', 'person-7', 'user-9', service.apiKey];
  const [value = '', row = '', subject = '', user = ''] = secrets;
  const ciphertext = await client.as(user).encrypt(value, { context: { row }, subject });
  await client.as(user).decrypt(ciphertext, { context: { row }, subject });
  await client.hash(value);
  await client.subjects.erase({ subject });
  service.failNext('key_state');
  await client.hash(value).catch(() => undefined);
  const shown = JSON.stringify(spans.map(({ name, attributes }) => [name, attributes]));
  for (const secret of secrets) expect(shown).not.toContain(secret);
});

test('a tracer of OpenTelemetry is one that the client takes, and the option refuses what is no function', async () => {
  expectTypeOf<Tracer>().toExtend<Parameters<typeof tracingWith>[0]>();
  const { make } = await observedClient();
  expect(() => make({ tracing: {} as never })).toThrow('tracing');
});
