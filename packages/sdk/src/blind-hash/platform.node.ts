import { setImmediate } from 'node:timers/promises';

export { nodeCurve as platformCurve } from '@eaas/protocol/blind-hash-node';

// Imports `setImmediate` from Node, because the fake timers of tests replace the global `setImmediate`.
export const nextTurn = (): Promise<void> => setImmediate();
