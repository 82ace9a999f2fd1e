import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { coalesce } from './batches.ts';
import { EaasClient, EaasError } from './index.ts';
import { createTestService } from './testing/testing.ts';
import type { Call } from './transport.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test('a context without a prototype is a context', async () => {
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  const client = new EaasClient({ ...service, keyId });
  const wrapContext = Object.assign(Object.create(null) as object, { user: '1' });
  const { ciphertext } = await client.encrypt('x', { wrapContext });
  const other = client.decrypt(ciphertext, { wrapContext: { user: '2' } });
  await expect(other).rejects.toMatchObject({ code: 'decryption' });
  expect(await client.decryptText(ciphertext, { wrapContext: { user: '1' }, scope: 'anew' })).toBe('x');
});

test('an input that cannot be sent fails alone', async () => {
  const call = async (_: string, input: object): Promise<unknown> => input;
  const hash = coalesce(call as unknown as Call, 'POST /v1/hash');
  const results = await Promise.allSettled([
    hash({ key_id: 'k', value: 1n as never }),
    hash({ key_id: 'k', value: 'x' }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('what is aborted before it was sent leaves nothing waiting behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const silent = (): Promise<never> => new Promise(() => undefined);
  const hash = coalesce(silent as unknown as Call, 'POST /v1/hash');
  // As many as are under way at once, and one that waits.
  for (const value of ['a', 'b', 'c', 'd']) {
    void hash({ key_id: 'k', value });
    await Promise.resolve();
  }
  const before = vi.getTimerCount();
  const controller = new AbortController();
  const removed = vi.spyOn(controller.signal, 'removeEventListener');
  const waiting = hash({ key_id: 'k', value: 'e' }, controller);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  expect(removed).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(before);
  vi.useRealTimers();
});

test('what is asked in any order, aborted here and there, is answered once, each its own answer', async () => {
  const step = fc.record({
    calls: fc.integer({ min: 0, max: 30 }),
    aborted: fc.array(fc.integer({ min: 0, max: 29 }), { maxLength: 3 }),
    wait: fc.boolean(),
  });
  const plan = fc.record({
    steps: fc.array(step, { maxLength: 8 }),
    batches: fc.boolean(),
    slow: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ steps, batches, slow }) => {
      const sent: string[] = [];
      const call = async (
        route: string,
        input: { value: string; items?: { value: string }[] },
      ): Promise<unknown> => {
        if (slow) await later();
        const missing = new EaasError('not_found', 'none', { status: 404 });
        if (route.includes('batch') && !batches) throw missing;
        const items = input.items ?? [input];
        sent.push(...items.map(({ value }) => value));
        const results = items.map(({ value }) =>
          value.endsWith('7') ? { error: { code: 'key_state', detail: value } } : { hash: value },
        );
        if (input.items) return { results };
        const [only] = results;
        if (only?.error) throw new EaasError('key_state', input.value);
        return only;
      };
      const hash = coalesce(call as unknown as Call, 'POST /v1/hash');
      const outcomes: Promise<{ asked: unknown; told: unknown }>[] = [];
      let number = 0;
      for (const { calls, aborted, wait } of steps) {
        const controllers = range(calls).map(() => new AbortController());
        for (const controller of controllers) {
          const value = `${number++}`;
          const refused = { code: value.endsWith('7') ? 'key_state' : 'none', message: value };
          const answered = hash({ key_id: 'k', value }, controller).then(
            (output) => ({ asked: value, told: output.hash }),
            ({ code, message }: EaasError) =>
              code === 'aborted'
                ? { asked: controller.signal.aborted, told: true }
                : { asked: refused, told: { code, message } },
          );
          outcomes.push(answered);
        }
        if (wait) await later();
        for (const index of aborted) controllers[index]?.abort();
      }
      for (const { asked, told } of await Promise.all(outcomes)) expect(told).toEqual(asked);
      expect(new Set(sent).size).toBe(sent.length);
    }),
    { numRuns: 60 },
  );
});
