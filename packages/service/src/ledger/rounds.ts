// How often the ledger reads for one decision. What a decision asks for can depend on what was read: the ledger (ledger.ts) and the
// queue of a tenant (queue.ts) count by the same bound.

/**
 * Four reads are enough for every decision: of the tenant, of the rows that the call names, of those that these name, and once more if
 * they changed meanwhile. A decision that asks for more rows after them rests on what others change again and again.
 */
export const mostRounds = 4;
