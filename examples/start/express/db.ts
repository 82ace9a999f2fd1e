import { withEncryption } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';

const fields = defineFields({
  Patient: {
    name: field.text(),
    email: field.text().searchable({ normalize: ['trim', 'lowercase'] }),
    born: field.text(),
  },
});

const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL! });
const prisma = new PrismaClient({ adapter });
// The client reads the variables EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID.
export const db = withEncryption(prisma, new EaasClient(), fields, { index: process.env.EAAS_INDEX_KEY! });
