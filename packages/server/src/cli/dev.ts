import { readDevelopmentConfig } from '../config.ts';
import { command } from './command.ts';

/** `eaas dev`. */
export const devCommand = command(
  'dev',
  'Serve for development on this machine. The first start creates a tenant, an API key, a key and an index key, and ' +
    'prints them as environment variables. Later starts keep them. Prints the URL of the playground. Refuses ' +
    'DATABASE_URL, NODE_ENV=production and an EAAS_HOST that other machines reach.',
  ['dev', 'dev --env', 'dev --env apps/web/.env'],
)
  .option(
    '--env [file]',
    'write the variables to this file instead (.env by default) and keep its other lines',
  )
  .action(async ({ env }: { env?: string | true }) => {
    const config = readDevelopmentConfig();
    // Import the HTTP server only here and in `serve`, because it takes a while to load.
    const { dev } = await import('../dev/dev.ts');
    await dev(config, env === true ? '.env' : env);
  });
