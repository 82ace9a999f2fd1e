import { eq } from 'drizzle-orm';
import type { Actions } from '@sveltejs/kit';
import { db, patients } from '../lib/server/patients.ts';

export const load = async () => ({ patients: await db.select().from(patients) });

export const actions: Actions = {
  async add({ request }) {
    const form = await request.formData();
    const [name, email, born] = ['name', 'email', 'born'].map((field) => String(form.get(field)));
    // To look first and then insert would miss somebody who enters the same address meanwhile.
    const [added] = await db
      .insert(patients)
      .values({ name, email, born })
      .onConflictDoNothing({ target: patients.email })
      .returning({ id: patients.id });
    if (!added) return { answer: 'This address is taken.' };

    return { answer: `Added ${name}.` };
  },
  async find({ request }) {
    const email = String((await request.formData()).get('email'));
    const [found] = await db.select().from(patients).where(eq(patients.email, email));
    return { answer: found ? `Found ${found.name}.` : 'Nobody has this address.' };
  },
};
