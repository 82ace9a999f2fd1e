import type { EaasClient } from '@eaas/sdk';
import { type Clinic, openClinic } from '../../packages/prisma/test/clinic.ts';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import type { Benchmark } from './compare.ts';

const size = 10_000;
const columns = ['name', 'email', 'ward'] as const;

type Row = { readonly id: string } & Readonly<Record<(typeof columns)[number], string>>;

export const benchmark: Benchmark = {
  name: 'prisma',
  about: 'rows with three encrypted columns read through Prisma, from PostgreSQL',
  async comparisons(defer) {
    const postgres = await OwnPostgres.start();
    defer(postgres.drop);
    const clinic = await openClinic(7, 'bench', postgres);
    defer(clinic.close);
    await fill(clinic);
    return [
      {
        ours: { name: 'extended client', size, run: () => readAll(clinic.db.patient) },
        reference: {
          name: 'plain read + bare loop',
          size,
          async run() {
            decryptAll(clinic.eaas, await readAll(clinic.plain.patient));
          },
        },
        target: 1 / 1.3,
      },
    ];
  },
};

async function fill({ db, eaas, plain }: Clinic): Promise<void> {
  const data = Array.from({ length: size }, (_, at) => ({
    city: 'London',
    name: `Name of patient ${at}`,
    email: `patient-${at}@example.com`,
    ward: `Ward ${at % 10}`,
  }));
  await db.patient['createMany']?.({ data });
  const ciphertexts = (await readAll(plain.patient)).flatMap((row) => columns.map((column) => row[column]));
  await eaas.prime({ ciphertexts });
}

async function readAll(patients: Clinic['db']['patient']): Promise<Row[]> {
  const rows = (await patients['findMany']?.()) as Row[];
  if (rows.length !== size) throw new Error(`expected ${size} rows from the database (got ${rows.length})`);
  return rows;
}

function decryptAll(eaas: EaasClient, rows: readonly Row[]): void {
  for (const row of rows) {
    for (const field of columns) {
      const place = { table: 'patients', field };
      const context = field === 'ward' ? place : { ...place, row: row.id };
      eaas.decryptSync(row[field], { context, as: 'text' });
    }
  }
}
