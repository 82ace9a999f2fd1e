export { nodeCurve as platformCurve } from '@eaas/protocol/blind-hash-node';
