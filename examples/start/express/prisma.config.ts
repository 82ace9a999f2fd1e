import { defineConfig, env } from 'prisma/config';

process.loadEnvFile();
export default defineConfig({ schema: 'schema.prisma', datasource: { url: env('DATABASE_URL') } });
