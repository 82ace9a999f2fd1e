import type { FastifyInstance } from 'fastify';
import type { Doors } from './doors.ts';
import { send } from './problems.ts';

type Health = Pick<Doors, 'health' | 'draining'>;

/** Whether the process runs (/healthz) and whether it can work (/readyz). */
export function serveHealth(app: FastifyInstance, doors: Health): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    handler: async (_, reply) => send(reply, 'application/json', JSON.stringify({ status: 'ok' })),
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/readyz',
    handler: async (_, reply) => {
      const { ready, reasons } = await readiness(doors);
      if (ready) return send(reply, 'application/json', JSON.stringify({ status: 'ready' }));
      void reply.code(503).header('retry-after', '1');
      return send(reply, 'application/json', JSON.stringify({ status: 'not ready', reasons }));
    },
  });
}

async function readiness(doors: Health): Promise<{ ready: boolean; reasons: string[] }> {
  if (doors.draining()) return { ready: false, reasons: ['the service is stopping'] };
  return doors.health().catch(() => ({ ready: false, reasons: ['the service cannot tell'] }));
}
