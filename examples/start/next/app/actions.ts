'use server';
import { eq } from 'drizzle-orm';
import { revalidatePath } from 'next/cache';
import { db, patients } from '../lib/patients';

export async function add(_before: string, form: FormData): Promise<string> {
  const [name, email, born] = ['name', 'email', 'born'].map((field) => String(form.get(field)));
  const taken = await db.$count(patients, eq(patients.email, email));
  if (taken > 0) return 'This address is taken.';
  await db.insert(patients).values({ name, email, born });
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
