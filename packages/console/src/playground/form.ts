import type { Context } from '@eaas/sdk';
import type { Intake } from '@eaas/sdk/intake';
import type { Session } from '../session.ts';

export interface Form {
  readonly publicKey: string;
  readonly intake: Intake;
}

export interface Submission {
  readonly ciphertext: string;
  readonly context: Context;
}

export async function openForm({ client }: Pick<Session, 'client'>, keyId: string): Promise<Form> {
  const { intakePublicKey } = await client.publicKey(keyId);
  const publicKey = intakePublicKey ?? '';
  const { createIntake } = await import('@eaas/sdk/intake');
  return { publicKey, intake: createIntake({ publicKey }) };
}

export async function submit({ intake }: Form, message: string): Promise<Submission> {
  const context = { form: 'contact', submission: crypto.randomUUID() };
  const { ciphertext } = await intake.encrypt(message, { context });
  return { ciphertext, context };
}
