import { setImmediate } from 'node:timers/promises';

export { nodeCurve as platformCurve } from '@eaas/protocol/blind-hash-node';

// Not the global `setImmediate`, because fake timers replace it.
export const nextTurn = (): Promise<void> => setImmediate();
