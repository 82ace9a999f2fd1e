// Verifies with `jose` that a key has signed a token. The plugin of issuers asks, and remembers what holds.
import type { IssuerOptions } from '@eaas/service';
import { compactVerify } from 'jose';
import { letGoOn, type Queues, waitIn } from '../base/queues.ts';

export function signatureVerifier(): IssuerOptions['verify'] {
  const { enter, leave } = inTurns();
  return async (token, jwk, alg, tenantId) => {
    await enter(tenantId);
    try {
      // `jose` imports a key once, as long as it is the same object.
      await compactVerify(token, jwk, { algorithms: [alg] });
      return true;
    } catch {
      return false;
    } finally {
      leave();
    }
  };
}

/**
 * Lets in so many at once, and then one of each tenant in turn: tokens that name one sign-in hold up those of no other. More
 * threads than two would take the CPU from the event loop.
 */
export function inTurns(most = 2) {
  const waiting: Queues = new Map();
  /** Below 0, it is how many wait. */
  let free = most;
  const enter = async (tenantId: string): Promise<void> => {
    if (free-- <= 0) await waitIn(waiting, tenantId);
  };
  const leave = (): void => {
    free++;
    const [tenantId] = waiting.keys();
    if (tenantId !== undefined) letGoOn(waiting, tenantId);
  };
  return { enter, leave };
}
