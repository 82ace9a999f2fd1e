import { createTestService } from '@eaas/local';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { withFakeTimers } from '../../test/fake-timers.ts';
import { arrivals, watchedEngine } from '../../test/observed-client.ts';
import { runs } from '@eaas/test-kit/cases';
import { type Bundle, EaasClient, type EaasError } from '../index.ts';

const maxMessages = 5;
const maxBytes = 60;
const maxAge = 1_000;

const often = <const T>(weight: number, value: T) => ({ weight, arbitrary: fc.constant(value) });
const step = fc.record({
  kind: fc.oneof(
    often(20, 'encrypt'),
    often(8, 'encryptSync'),
    often(8, 'decrypt'),
    often(8, 'decryptMany'),
    often(4, 'prime'),
    often(4, 'pass'),
    often(8, 'arrive'),
    often(2, 'fail'),
    often(1, 'close'),
  ),
  scope: fc.constantFrom('a', 'b'),
  size: fc.nat(30),
  time: fc.nat(1_500),
  which: fc.nat(20),
  abort: fc.oneof(often(9, false), often(1, true)),
  fresh: fc.oneof(often(9, false), often(1, true)),
  keep: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test('with random calls, no data key exceeds its limits or stays in memory after `close`', async () => {
  const follow = (steps: readonly Step[]) =>
    withFakeTimers(async (timers) => {
      const { live, engines: same } = watchedEngine();
      // Copies the engine, so that asynchronous and synchronous calls use different objects. The client then imports
      // each data key twice, once for each engine.
      const engines = { ...same, values: { ...same.values } };
      const service = createTestService();
      const keyId = service.createKey('fields').key_id;
      const cache = { encrypt: { maxMessages, maxBytes, maxAge }, decrypt: { maxEntries: 3, maxAge } };
      const client = new EaasClient({ ...service, keyId, engines, cache, retries: 0 });
      const sealed: { bundle: Bundle; size: number; scope: string }[] = [];
      const waiting: Promise<unknown>[] = [];
      const errors: EaasError[] = [];
      const note = (work: Promise<unknown>): unknown =>
        waiting.push(work.catch((error: EaasError) => errors.push(error)));

      for (const { kind, size, time, which, scope, abort, fresh, keep } of steps) {
        const controller = new AbortController();
        const signal = abort ? controller.signal : undefined;
        const given = { scope, signal };
        const reader = client.as(scope);
        const remember = (bundle: Bundle): unknown => sealed.push({ bundle, size, scope });
        if (kind === 'encrypt')
          note(client.encrypt(new Uint8Array(size), { ...given, fresh }).then(remember));
        if (kind === 'prime') note(client.prime({ ...given, keep }));
        if (kind === 'encryptSync')
          note((async () => remember(client.encryptSync(new Uint8Array(size), { scope })))());
        const { bundle, size: length } = sealed[which] ?? {};
        if (kind === 'decrypt' && bundle) {
          note(
            reader.decrypt(bundle, { signal }).then((opened) => {
              if (opened.length !== length) throw new Error('another value');
              return opened;
            }),
          );
        }
        if (kind === 'decryptMany') {
          const some = sealed.slice(which, which + 5);
          const bundles = some.map((one) => one.bundle);
          const decrypted = async (): Promise<void> => {
            for (const [at, result] of (await reader.decryptMany(bundles, { signal })).entries()) {
              if (!result.ok) errors.push(result.error);
              else if (result.value.length !== some[at]?.size) throw new Error('another value');
            }
          };
          note(decrypted());
        }
        if (kind === 'pass') await vi.advanceTimersByTimeAsync(time);
        if (kind === 'arrive') await arrivals(5);
        if (kind === 'fail') service.failNext('unavailable');
        if (kind === 'close') await client.close();
        if (abort) controller.abort();
      }
      for (let turn = 0; turn < 4; turn++) await arrivals(5);
      await client.close();
      await Promise.all(waiting);
      // Waits, because a timer can still be active after `close`: the timer of a data key that the client requested in
      // advance.
      await expect.poll(() => timers.size).toBe(0);

      const others = errors.filter(({ code }) => !/^(aborted|unavailable|closed|not_primed)$/.test(code));
      expect(others).toEqual([]);
      const uses = new Map<string, { messages: number; bytes: number; scopes: Set<string> }>();
      for (const { bundle, size, scope } of sealed) {
        const use = uses.get(bundle.wrapped_key) ?? { messages: 0, bytes: 0, scopes: new Set() };
        uses.set(bundle.wrapped_key, use);
        use.messages++;
        use.bytes += size;
        use.scopes.add(scope);
      }
      for (const use of uses.values()) {
        expect(use.scopes.size).toBe(1);
        expect(use.messages).toBeLessThanOrEqual(maxMessages);
        expect(use.messages === 1 || use.bytes <= maxBytes).toBe(true);
      }
      expect(live()).toEqual([]);
    });
  const orders = fc.array(step, { minLength: 20, maxLength: 100 });
  await fc.assert(fc.asyncProperty(orders, follow), { numRuns: runs(60) });
});
