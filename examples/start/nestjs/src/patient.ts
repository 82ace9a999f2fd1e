import { EaasClient } from '@eaas/sdk';
import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
import { Column, Entity, PrimaryColumn } from 'typeorm';

const fields = defineFields({
  patients: {
    ...unencrypted('id'),
    name: field.text(),
    email: field.text().searchable({ normalize: ['trim', 'lowercase'] }),
    born: field.text(),
  },
});

// The client reads the variables EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID.
export const records = fields.for(new EaasClient(), { index: process.env.EAAS_INDEX_KEY! });

// The stored row. `email_index` has a keyed hash of the address: it finds a patient, and being unique it refuses a second
// one with the same address.
@Entity('patients')
export class StoredPatient {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  email!: string;

  @Column('text', { unique: true, nullable: true })
  email_index!: string | null;

  @Column('text')
  born!: string;
}
