// The audit chain and the public log.
export * from './audit-chain.ts';
export * from './checkpoint.ts';
export * from './log/log-tree.ts';
export * from './log/policy.ts';
export * from './log/prefix-tree.ts';
export * from './log/proof.ts';
export * from './log/tlog.ts';
export * from './log-history.ts';
export * from './signed-note.ts';
export { effectIn, effectOf } from './wire/audit-actions.ts';
