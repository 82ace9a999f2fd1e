import { createTestService } from '@eaas/local';
import { describe, expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { baseUrlOf } from './connection.ts';
import { createBrowserClient } from '../browser/browser.ts';
import { EaasClient, InputError } from '../index.ts';

describe('base URL', () => {
  test.each([
    [undefined, '(got undefined): is EAAS_BASE_URL set?'],
    ['', '(got an empty string): is EAAS_BASE_URL set?'],
    [7, '(got a number): is EAAS_BASE_URL set?'],
    ...['127.0.0.1:8080', 'localhost:8080', '/eaas', 'ftp://eaas.example', 'eaas_sk_0'].map(
      (given): [string, string] => [given, ', such as https://eaas.example or http://localhost:8080'],
    ),
    ...['me@eaas.example', ':b@eaas.example', 'eaas.example?x', 'eaas.example#x'].map(
      (given): [string, string] => [`https://${given}`, 'without a user name, password, query or fragment'],
    ),
  ])('the constructor throws for the base URL %j', (given, message) => {
    const make = (): string => baseUrlOf(given as string, undefined);
    expect(make).toThrow(InputError);
    expect(make).toThrow(`\`baseUrl\` must be the URL of the service`);
    expect(make).toThrow(message);
  });

  test.each(['https://eaas.test', 'https://eaas.test/', 'https://eaas.test/v1', 'https://eaas.test/v1/'])(
    '`hash` calls POST /v1/hash with the base URL %s',
    async (baseUrl) => {
      const { client, service } = await observedClient({ baseUrl });
      await client.hash('x');
      expect(service.requests).toMatchObject([{ route: 'POST /v1/hash', status: 200 }]);
    },
  );
});

describe('plain HTTP', () => {
  const clients = (url: string, insecureHttp?: boolean) => [
    () => new EaasClient({ ...createTestService(), baseUrl: url, insecureHttp }),
    () => createBrowserClient({ proxyUrl: url, insecureHttp }),
  ];

  test.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'https://eaas.example'])(
    'a base URL with http: is allowed for this machine: %s',
    (url) => {
      for (const make of clients(url)) expect(make).not.toThrow();
    },
  );

  test.each([
    'http://eaas.example',
    'http://10.0.0.1:8080',
    'http://127.0.0.1.example',
    'http://evil.localhost',
  ])('a base URL with http: needs `insecureHttp: true` for another machine: %s', (url) => {
    for (const make of clients(url)) expect(make).toThrow(/must use https:.*insecureHttp: true/);
    for (const make of clients(url, true)) expect(make).not.toThrow();
  });
});
