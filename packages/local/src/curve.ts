export { nobleCurve as platformCurve } from '@eaas/protocol/internal-blind-hash';
