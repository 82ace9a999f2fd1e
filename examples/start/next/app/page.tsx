import { db, patients } from '../lib/patients';
import { Forms } from './forms';

export const dynamic = 'force-dynamic';

export default async function Page() {
  const rows = await db.select().from(patients);
  return (
    <main>
      <h1>Patients</h1>
      <ul>
        {rows.map(({ id, name, email, born }) => (
          <li key={id}>{`${name}, ${email}, born ${born}`}</li>
        ))}
      </ul>
      <Forms />
    </main>
  );
}
