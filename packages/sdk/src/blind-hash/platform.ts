export { nobleCurve as platformCurve } from '@eaas/protocol/internal-blind-hash';
export { nextTurn } from '@eaas/protocol/internal-turn';
