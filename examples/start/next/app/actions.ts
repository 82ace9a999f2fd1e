'use server';
import { eq } from 'drizzle-orm';
import { revalidatePath } from 'next/cache';
import { db, patients } from '../lib/patients';

export async function add(_before: string, form: FormData): Promise<string> {
  const [name, email, born] = ['name', 'email', 'born'].map((field) => String(form.get(field)));
  // To look first and then insert would miss somebody who enters the same address meanwhile.
  const [added] = await db
    .insert(patients)
    .values({ name, email, born })
    .onConflictDoNothing({ target: patients.email })
    .returning({ id: patients.id });
  if (!added) return 'This address is taken.';

  revalidatePath('/');
  return `Added ${name}.`;
}

export async function find(_before: string, form: FormData): Promise<string> {
  const found = await db
    .select()
    .from(patients)
    .where(eq(patients.email, String(form.get('email'))));
  return found[0] ? `Found ${found[0].name}.` : 'Nobody has this address.';
}
