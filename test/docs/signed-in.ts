// The browser of a person who signs in: keeps cookies, follows redirects, and sends the forms of the OpenID provider. The app
// is a function, without a port.
export function openBrowser(origin: string, app: (request: Request) => Promise<Response>, user: string) {
  const cookies = new Map<string, string>();
  const headers = (): Headers =>
    new Headers({ origin, cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ') });

  /** Sends a form, or JSON as text, or gets the page. */
  async function send(url: string, body?: URLSearchParams | string): Promise<Response> {
    const request = new Request(url, {
      headers: headers(),
      redirect: 'manual',
      ...(body && { method: 'POST', body }),
    });
    if (typeof body === 'string') request.headers.set('content-type', 'application/json');
    const response = await (url.startsWith(origin) ? app(request) : fetch(request));
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  }

  /** Opens a page, signs in and agrees where the provider asks, and returns the URL of the app that the callback leads to. */
  async function visit(start: string): Promise<string> {
    let url = start;
    while (!url.startsWith(origin) || url.includes('/callback/')) {
      let response = await send(url);
      const text = await response.text();
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? [];
      const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(text) ?? [];
      if (action !== undefined)
        response = await send(action, new URLSearchParams({ prompt, login: user, password: 'password' }));
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${url} must redirect (got ${response.status}: ${text})`);
      url = new URL(location, url).href;
    }
    return url;
  }

  return { headers, cookies, send, visit };
}
