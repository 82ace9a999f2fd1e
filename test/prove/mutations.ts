interface Change {
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

export interface Mutation {
  readonly name: string;
  /** The trial that must fail, as `part:trial`. */
  readonly trial: string;
  /** The check of the trial that must fail. */
  readonly invariant: string;
  readonly changes: readonly Change[];
}

const server = 'packages/server/src';

function mutation(
  name: string,
  trial: string,
  invariant: string,
  ...changes: (readonly [file: string, search: string, replace: string])[]
): Mutation {
  return {
    name,
    trial,
    invariant,
    changes: changes.map(([file, search, replace]) => ({ file, search, replace })),
  };
}

/**
 * The mutations of the source code, one per invariant. `npm run prove -- mutations` checks that each mutation makes its
 * trial fail.
 */
export const mutations: readonly Mutation[] = [
  mutation('answer-before-commit', 'faults:database', 'every answer is in the log', [
    `${server}/state/append.ts`,
    '  view.queue.putBack(batch);\n',
    "  for (const item of batch) item.settle('written');\n",
  ]),
  mutation('uncaught-errors-of-the-driver', 'faults:database', 'no server ends', [
    `${server}/serve.ts`,
    'if (isDriverFault(error)) {',
    'if (isDriverFault(error) && error.message === "") {',
  ]),
  mutation('append-behind-any-hash', 'failover:asynchronous-state', 'the chain is valid', [
    `${server}/store/migrations/0005-runs.ts`,
    'and hash = expected_hash and state_id',
    'and state_id',
  ]),
  mutation(
    'states-named-by-a-number',
    'failover:asynchronous-state',
    'what a server wraps, another can unwrap',
    [`${server}/state/tenant-state.ts`, 'return sameBytes(own.state_name, state_name);', 'return true;'],
    [
      `${server}/state/tenants.ts`,
      'if (!this.timelines.continues(tenantId, last, head)) this.forget(tenantId);',
      'this.timelines.continues(tenantId, last, head);',
    ],
  ),
  mutation(
    'losses-without-alarm',
    'failover:asynchronous-state',
    'eaas_audit_head_went_back_total counts the loss of every tenant',
    [`${server}/state/timelines.ts`, 'this.wentBack++;', ''],
  ),
  mutation(
    'pools-that-stay',
    'failover:synchronous-silent',
    'a list is answered 200 at the first attempt once unwraps are',
    [`${server}/store/database.ts`, 'if (pool !== this.#pool) return;', 'if (pool) return;'],
  ),
  mutation(
    'own-clock',
    'clocks:replica-ahead',
    'no entry is in the future',
    [
      `${server}/state/clock.ts`,
      'return Math.floor(performance.now() + this.#offset);',
      'return Date.now();',
    ],
    [
      `${server}/store/migrations/0005-runs.ts`,
      'if moment not between present - 10000 and present + 1000 then',
      'if false then',
    ],
  ),
  mutation(
    'rows-without-macs',
    'tampering:suite',
    'tampering is found, and what was tampered with is refused',
    [
      `${server}/crypto/row-mac.ts`,
      'return sameBytes(rowMac(key, label, columns), presented);',
      'return true;',
    ],
  ),
  mutation('checkpoints-ahead-hold', 'restore:drill', 'it says that the log is behind the checkpoint', [
    `${server}/operations/verify/checkpoint.ts`,
    "if (stated.id > head.id) return 'checkpoint_ahead';",
    'if (stated.id > head.id) return undefined;',
  ]),
  mutation('origins-of-any-length', 'hostile:illegal', 'every answer is the expected one, never a 5xx', [
    'packages/protocol/src/wire/limits.ts',
    'origin: 256,',
    'origin: 4_000_000,',
  ]),
  mutation('bodies-without-a-share', 'fairness:uploads', 'the server stays under 400 MiB', [
    `${server}/admission/admission.ts`,
    'large_bodies: new Shares({ capacity: 32 * mebi, perTenant: 8 * mebi })',
    'large_bodies: new Shares({ capacity: 8_192 * mebi })',
  ]),
  mutation(
    'states-forgotten-by-a-change',
    'fairness:changes',
    '70 changes a second leave at least half of the unwraps',
    [`${server}/state/tenants.ts`, 'if (subjects.includes(tenantId)) {', 'if (tenantId) {'],
  ),
  mutation('parse-before-the-limits', 'hostile:junk', 'no synchronous section is over 50 ms', [
    'packages/protocol/src/wire/json.ts',
    'const scan = new BatchScan(bytes);',
    'JSON.parse(decode(bytes));\n  const scan = new BatchScan(bytes);',
  ]),
  mutation(
    'parse-before-the-turn',
    'fairness:brackets',
    "the second tenant's p99 is at most 50 ms, or 2 times that beside another process",
    [
      'packages/protocol/src/wire/json.ts',
      'const scan = new BatchScan(bytes);',
      'JSON.parse(decode(bytes));\n  const scan = new BatchScan(bytes);',
    ],
  ),
];
