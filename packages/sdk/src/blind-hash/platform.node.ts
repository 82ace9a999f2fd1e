import { setImmediate } from 'node:timers/promises';

export { nodeCurve as platformCurve } from '@eaas/protocol/blind-hash-node';

// Uses `setImmediate` of this module, because fake timers replace the global `setImmediate`.
export const nextTurn = (): Promise<void> => setImmediate();
