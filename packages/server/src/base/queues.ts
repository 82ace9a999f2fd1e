// Those who wait, by tenant. Whoever lets them go on takes one of each tenant in turn: fair.ts, and what verifies signatures.

export type Queues = Map<string, (() => void)[]>;

/** Waits at the end of a tenant's queue until it is let go on. Never rejects. */
export function waitIn(queues: Queues, tenantId: string): Promise<void> {
  return new Promise((resolve) => {
    const queue = queues.get(tenantId);
    if (queue) queue.push(resolve);
    else queues.set(tenantId, [resolve]);
  });
}

/** Lets the first of a tenant go on. The tenant goes behind all others. */
export function letGoOn(queues: Queues, tenantId: string): void {
  const [first, ...others] = queues.get(tenantId) ?? [];
  queues.delete(tenantId);
  if (others.length > 0) queues.set(tenantId, others);
  first?.();
}
