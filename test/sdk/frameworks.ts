import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';

// Replacements for two web frameworks. They have the parts that the recipes use, and pass on requests like the original
// frameworks.

type Next = () => void;
type Handler = (req: ExpressRequest, res: ServerResponse, next: Next) => unknown;

interface ExpressRequest extends IncomingMessage {
  originalUrl: string;
  body?: unknown;
  session?: { userId?: string };
}

export function express() {
  const mounted: { readonly path: string; readonly handler: Handler }[] = [];
  const listener: RequestListener = (message, res) => {
    const req = Object.assign(message, { originalUrl: message.url ?? '' }) as ExpressRequest;
    const run = (index: number): void => {
      const { path = '', handler } = mounted[index] ?? {};
      if (!handler) return void res.writeHead(404).end();
      if (!req.originalUrl.startsWith(path)) return run(index + 1);
      req.url = req.originalUrl.slice(path.length) || '/';
      handler(req, res, () => run(index + 1));
    };
    run(0);
  };
  return Object.assign(listener, {
    use(...args: [Handler] | [string, Handler]): void {
      const [path, handler] = args.length === 1 ? ['', args[0]] : args;
      mounted.push({ path, handler });
    },
    listen: (port: number) => createServer(listener).listen(port, '127.0.0.1'),
  });
}

export declare namespace express {
  type Request = ExpressRequest;
}

express.json = (): Handler => (req, _, next) => {
  if (!req.headers['content-type']?.startsWith('application/json')) return next();
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    req.body = JSON.parse(Buffer.concat(chunks).toString());
    next();
  });
};

export class Hono {
  readonly #routes: {
    readonly path: string;
    readonly handler: (c: { readonly req: { readonly raw: Request } }) => Response | Promise<Response>;
  }[] = [];

  all(
    path: string,
    handler: (c: { readonly req: { readonly raw: Request } }) => Response | Promise<Response>,
  ): void {
    this.#routes.push({ path: path.replace(/\*$/, ''), handler });
  }

  fetch = async (raw: Request): Promise<Response> => {
    const route = this.#routes.find(({ path }) => new URL(raw.url).pathname.startsWith(path));
    return route?.handler({ req: { raw } }) ?? new Response(null, { status: 404 });
  };
}
