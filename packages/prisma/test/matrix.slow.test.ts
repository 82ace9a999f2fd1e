import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { EncryptedTableError } from '@eaas/prisma';
import { Concealed, type EncryptedTableErrorCode, reveal } from '@eaas/sdk/fields';
import { shown } from '@eaas/test-kit/orms/shown';
import { beforeAll, describe, expect, test } from 'vitest';
import { comparisons, expected, filters, type Kind, kinds, reads, searches, writes } from './cells.ts';
import { type Clinic, openClinic, showsStored } from './clinic.ts';
import { type Client, majors } from './generated-client.ts';
import { pageOf } from '@eaas/test-kit/outcomes';

const intro = `# What works on encrypted columns

The tables on this page say which of Prisma's operations work on encrypted columns. Where a table shows an error code,
such as \`not_supported\`, the operation throws this error before it writes anything ([what to do](../README.md#errors)).

<!-- generated: outcomes -->

`;

type Outcome = 'yes' | EncryptedTableErrorCode;

interface Section {
  readonly title: string;
  readonly rows: { readonly title: string; readonly outcomes: readonly Outcome[] }[];
}

const ways = ['values', 'revealed', 'concealed'] as const;
const all = majors.flatMap((major) => ways.map((way) => [major, way] as const));

describe.each(all)('Prisma %i, %s', (major, way) => {
  let clinic: Clinic;

  beforeAll(async () => {
    clinic = await openClinic(major, 'matrix', way !== 'values');
    if (way === 'revealed') clinic = { ...clinic, db: clinic.db.$revealed() };
    return clinic.close;
  });

  const sections: Section[] = [];

  async function outcomeOf(run: () => Promise<unknown>): Promise<Outcome> {
    try {
      const result = await run();
      expect(showsStored(result)).toBe(false);
      return 'yes';
    } catch (error) {
      if (error instanceof EncryptedTableError) return error.code;
      throw error;
    } finally {
      expect(await clinic.misplaced()).toEqual([]);
    }
  }

  async function rowOf(
    section: Section,
    title: string,
    run: (kind: Kind) => Promise<unknown>,
    after: (kind: Kind, outcome: Outcome) => Promise<void> = async () => {},
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const kind of kinds) {
      const outcome = await outcomeOf(() => run(kind));
      await after(kind, outcome);
      outcomes.push(outcome);
    }
    // A write with null, or with `{ set }`, has a row of its own only if it differs.
    const before = section.rows.at(-1);
    const isVariant = before !== undefined && title.startsWith(`${before.title} with `);
    if (!isVariant || !isDeepStrictEqual(before.outcomes, outcomes)) section.rows.push({ title, outcomes });
    return outcomes;
  }

  function sectionOf(title: string): Section {
    const section: Section = { title, rows: [] };
    sections.push(section);
    return section;
  }

  async function clear(): Promise<void> {
    await clinic.sql`truncate doctors, patients, visits, bills, tags cascade`;
  }

  describe('writes', () => {
    const section = sectionOf('Writes');
    const shapes = {
      value: { title: '', of: ([value]: Kind['values']) => value, is: ([value]: Kind['values']) => value },
      null: { title: ' with null', of: () => null, is: () => null },
      set: {
        title: ' with `{ set }`',
        of: ([value]: Kind['values']) => ({ set: value }),
        is: ([value]: Kind['values']) => value,
      },
    };
    const rows = writes.flatMap((write) =>
      Object.values(shapes)
        .filter(({ title }) => write.updates || !title.includes('set'))
        .map((shape) => ({ title: write.title + shape.title, write, shape })),
    );
    test.each(rows)('$title', async ({ title, write, shape }) => {
      const outcomes = await rowOf(
        section,
        title,
        async ({ column, values }) => {
          // A JSON column gets its value without `{ set }`. Prisma would store `{ set: … }` as the value of the column.
          const given = column === 'notes' && title.includes('set') ? values[0] : shape.of(values);
          await clear();
          const before = { doctor: randomUUID(), patient: randomUUID() };
          await clinic.db.doctor['create']?.({ data: { id: before.doctor, title: 'Dr' } });
          const patient = {
            id: before.patient,
            city: 'London',
            ssn: '000-00-0001',
            doctorId: before.doctor,
          };
          if (write.updates) await clinic.db.patient['create']?.({ data: patient });
          return write.run(clinic.db, before, { [column]: given });
        },
        async ({ column, values }, outcome) => {
          const written = await clinic.db.patient['findMany']?.({});
          const rowsThere = (await shown(Promise.resolve(written))) as Record<string, unknown>[];
          const unchanged = write.updates ? [column === 'ssn' ? '000-00-0001' : null] : [];
          const there = outcome === 'yes' ? [shape.is(values)] : unchanged;
          expect(rowsThere.map((row) => row[column])).toEqual(there);
        },
      );
      expect(outcomes[0]).toBe('yes');
    });
  });

  describe('reads', () => {
    beforeAll(async () => {
      await clear();
      const [a, b] = [0, 1].map((at) =>
        Object.fromEntries(kinds.map(({ column, values }) => [column, values[at]])),
      );
      const visits = { create: { kind: 'first', note: 'PLAIN-note' } };
      const patients = [
        { city: 'A', ...a, visits },
        { city: 'B', ...b, visits },
        { city: 'C', visits },
      ];
      await clinic.db.doctor['create']?.({ data: { title: 'Dr', patients: { create: patients } } });
    });

    const filtering = sectionOf('Filters');
    test.each(filters)('filter $title', async ({ title, finds, ...filter }) => {
      const outcomes = await rowOf(filtering, title, async ({ column, values }) => {
        const found = await Promise.allSettled(
          Object.values(searches).map((search) => search(clinic.db, filter.where(column, values))),
        );
        const codes = new Set(found.map((each) => (each.status === 'rejected' ? each.reason.code : 'yes')));
        expect([...codes]).toHaveLength(1);
        for (const [at, search] of Object.keys(searches).entries()) {
          const each = found[at];
          if (each?.status === 'rejected') throw each.reason;
          expect({ [search]: each?.value }).toEqual({ [search]: expected(search, finds) });
        }
      });
      expect(outcomes[0]).toBe('yes');
    });

    const reading = sectionOf('Results');
    test.each(reads)('read $title', async ({ title, ...read }) => {
      const outcomes = await rowOf(reading, title, async ({ column, values }) => {
        const found = (await read.run(clinic.db, column, values)) as unknown[];
        const isHandle = way === 'concealed' && column !== 'phone';
        expect(found.filter((value) => value instanceof Concealed)).toHaveLength(isHandle ? 2 : 0);
        expect(await shown(Promise.resolve(found))).toEqual([...values, null]);
        return found;
      });
      expect(outcomes[0]).toBe('yes');
    });

    const comparing = sectionOf('Order, groups and aggregates');
    test.each(comparisons)('$title', async ({ title, ...comparison }) => {
      const outcomes = await rowOf(comparing, title, ({ column, values }) =>
        comparison.run(clinic.db, column, values),
      );
      expect(outcomes[0]).toBe('yes');
    });

    test('the table of operations in packages/prisma/docs/matrix.md equals the results of this test', async () => {
      const page = fileURLToPath(new URL('../docs/matrix.md', import.meta.url));
      const encrypted = sections.map(({ title, rows }) => {
        return { title, rows: rows.map((row) => ({ ...row, outcomes: row.outcomes.slice(1) })) };
      });
      const titles = kinds.slice(1).map(({ title }) => title);
      await expect(`${intro}${pageOf(encrypted, titles)}\n\n<!-- end -->\n`).toMatchFileSnapshot(page);
    });

    test('an update with the row that was read leaves its concealed fields alone', async () => {
      const found = await clinic.db.patient['findFirst']?.({ where: { city: 'A' }, omit: { ward: true } });
      const row = found as Record<string, unknown>;
      const stored = async () => (await clinic.sql`select * from patients where city in ('A', 'D')`)[0];
      const before = await stored();
      await clinic.db.$transaction(async (tx: Client) => {
        await tx.patient['update']?.({ where: { id: row['id'] }, data: { ...row, city: 'D' } });
        const shown = await tx.$revealed().patient['findFirst']?.({ where: { city: 'D' } });
        for (const by of [tx, clinic.db.$as('7')]) {
          expect([shown, ...(await reveal([row], ['name'], { by }))]).toMatchObject([
            { name: 'PLAIN-1' },
            { name: 'PLAIN-1' },
          ]);
        }
      });
      expect(await stored()).toMatchObject({ ...(way === 'concealed' && before), city: 'D' });
    });
  });
});
