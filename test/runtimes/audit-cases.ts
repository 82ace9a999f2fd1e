import type { AuditState } from '@eaas/sdk/audit';
import type { ProgramScene } from './administration-cases.ts';
import type { Case } from './case.ts';
import { holds, same } from './expect.ts';

/** The audit log, as an auditor sees it. */
export const auditCases: readonly Case<ProgramScene>[] = [
  {
    name: 'the audit log is listed, and the service verifies it',
    run: async ({ connect, keyId }) => {
      const client = connect();
      await client.decrypt(await client.encrypt('a secret', { fresh: true }));
      const actions: string[] = [];
      for await (const { id, action } of client.audit.list({ key_id: keyId })) {
        holds(id > 0, 'an entry without a number');
        actions.push(action);
      }
      same(actions.slice(0, 2), ['key.unwrap', 'key.wrap'], 'the newest actions');
      same(actions.at(-1), 'key.create', 'the oldest action');
      const { valid, complete } = await client.audit.verify();
      same([valid, complete], [true, true], 'the verification');
    },
  },
  {
    name: 'an auditor who trusts nobody recomputes the audit log, and goes on where it ended',
    run: async ({ connect }) => {
      const client = connect();
      let state: AuditState | undefined;
      const store = { load: () => state, save: (next: AuditState) => void (state = next) };
      const checked: number[] = [];
      for await (const report of client.audit.monitor({ store, interval: 1 })) {
        same(report.findings, [], 'the findings');
        checked.push(report.checked);
        if (checked.length === 2) break;
        await client.encrypt('a secret', { fresh: true });
      }
      holds((checked[0] ?? 0) > 2, 'the first round read little');
      same(checked[1], 1, 'what the second round read');
    },
  },
];
