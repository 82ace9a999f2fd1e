export { nodeCurve as platformCurve } from '@eaas/protocol/blind-hash-node';

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
