import { readConfig } from '../config.ts';
import { command } from './command.ts';

/** `eaas serve`. */
export const serveCommand = command('serve', 'Serve the API until it is told to end (SIGTERM, SIGINT).', [
  'serve',
]).action(async () => {
  const config = readConfig();
  // Only this command needs the HTTP server, which takes a while to load.
  const { serve } = await import('../serve.ts');
  await serve(config);
});
