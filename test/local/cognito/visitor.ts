/** A person with a browser, as far as forms and cookies go. */

export interface Visit {
  /** The page on which the visit ended. Redirects to other hosts are not followed. */
  url: URL;
  status: number;
  text: string;
  /** The error message of the page, if any. */
  alert: string | undefined;
}

export interface Visitor {
  open(url: string | URL): Promise<Visit>;
  /** Submits a form of the latest page. */
  submit(path: string, fields?: Record<string, string>): Promise<Visit>;
  /** Calls the page's script makes. */
  post(path: string, body: unknown): Promise<{ status: number; json: unknown }>;
  cookies: Map<string, string>;
}

export function createVisitor(): Visitor {
  /** Browsers share the cookies of a host among its ports. */
  const cookies = new Map<string, string>();
  let current = new URL('http://localhost');

  async function send(url: URL, init: RequestInit = {}): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...init.headers, cookie, accept: 'text/html' };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    response.headers.getSetCookie().forEach(store);
    return response;
  }

  function store(header: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }

  async function follow(url: URL, init?: RequestInit): Promise<Visit> {
    const response = await send(url, init);
    const location = response.headers.get('location');
    if (location !== null) {
      const next = new URL(location, url);
      if (next.hostname === 'localhost') return follow(next);
      return { url: next, status: response.status, text: '', alert: undefined };
    }
    const text = await response.text();
    current = url;
    const alert = / id="error" role="alert">([^<]*)</.exec(text)?.[1];
    return { url, status: response.status, text, alert };
  }

  return {
    cookies,
    open: (url) => follow(new URL(url, current)),
    submit: (path, fields = {}) =>
      follow(new URL(path, current), {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: current.origin },
      }),
    async post(path, body) {
      const headers = { origin: current.origin, 'content-type': 'application/json' };
      const response = await send(new URL(path, current), {
        method: 'POST',
        body: JSON.stringify(body),
        headers,
      });
      return { status: response.status, json: await response.json() };
    },
  };
}
