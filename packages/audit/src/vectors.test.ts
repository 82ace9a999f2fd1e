// Evidence, against a second implementation: test/vectors/columns.py.
import { ServiceError } from '@eaas/protocol/internal';
import { vectors } from '@eaas/test-kit/vectors';
import { expect, test } from 'vitest';
import { type AuditEntry, evidence, type ProofSource, verifyFile } from './index.ts';
import { judge } from './page/verdict.ts';

const { tenant_id, entries, cases, heads, refusals } = vectors('evidence');

/** The log of the vectors, at a service without a public log. */
const source: ProofSource = {
  audit: {
    async *list(filter: { date_from?: string }, { from }) {
      const since = filter.date_from ?? '';
      for (const entry of entries) {
        if (entry.id >= from && entry.created_at >= since) yield entry as AuditEntry;
      }
    },
    verify: () => Promise.reject(new Error('nothing was purged')),
    proof: () => Promise.reject(new ServiceError('not_found', 'there is no public log')),
  },
};

const read = (text: string) => new Blob([text]).stream();

test.each(cases)('the evidence of $name is that of the vector, without a fault', async (vector) => {
  const { from, to, keyId } = { from: undefined, to: undefined, keyId: undefined, ...vector.options };
  const days = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined };
  let text = '';
  for await (const file of evidence(source, { keyId, ...days })) {
    if (file.name === 'entries.ndjson') text += file.text;
  }
  expect(text).toBe(vector.text);
  const found = await verifyFile(read(text), { allowHidden: true });
  const { first, last, hidden } = vector;
  expect(found).toMatchObject({ findings: [], tenantId: tenant_id, hidden });
  expect([found.first.id, found.last.id]).toEqual([first, last]);
});

test('the heads of the vector are found in the file, in both forms', async () => {
  const [all = '', before] = [cases[0]?.text, JSON.parse(heads.line) as object];
  const text = `${JSON.stringify(heads.same[0])}\n${all}`;
  const { compared } = await verifyFile(read(text), { heads: [...heads.same, ...heads.other] });
  expect(compared).toEqual([...heads.same.map(() => 'same'), 'other']);
  const after = all.split('\n').slice(4).join('\n');
  expect(await verifyFile(read(`${heads.line}\n${after}`))).toMatchObject({ before, findings: [] });
  expect(await judge(read(all), [], [heads.kept])).toMatchObject({ kind: 'continues' });
});

test.each(Object.entries(refusals))('a file with %s has a fault', async (_, text) => {
  const { findings } = await verifyFile(read(text));
  expect(findings).not.toEqual([]);
});
