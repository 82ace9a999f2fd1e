import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { createRecorder } from './exchanges.ts';
import { elementsIn, fingerprintTwice } from './fingerprints.ts';

const service = createTestService();
const { key_id: keyId } = service.createKey('test');

test('two fingerprints of a value are equal, although their requests contain different elements', async () => {
  const { fetch, during } = createRecorder(service.fetch);
  const eaas = new EaasClient({ ...service, fetch, keyId });
  const recorded = await during(() => fingerprintTwice(eaas, 'ada@example.com'));
  const hash = await new EaasClient({ ...service, keyId }).blindHash('ada@example.com');
  expect(recorded).toMatchObject({ ok: true, value: { value: 'ada@example.com', hashes: [hash, hash] } });
  const elements = elementsIn(recorded.exchanges);
  expect([elements.length, new Set(elements).size]).toEqual([2, 2]);
});

test('`elementsIn` returns no elements of failed requests', () => {
  const exchange = (element: string, status: number) => ({
    method: 'POST',
    path: '/v1/hash/blind',
    request: JSON.stringify({ key_id: keyId, elements: [element] }),
    status,
    response: '',
  });
  expect(elementsIn([exchange('A', 503), exchange('B', 200)])).toEqual(['B']);
});
