/** A browser that calls the session function: keeps cookies, and sends what the dashboard's page sends. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { FakeOpenIdProvider } from './fake-openid-provider.ts';
import type { FakeUser } from './fake-pool-state.ts';

export interface BrowserResponse {
  status: number;
  headers: Record<string, unknown>;
  setCookies: unknown[];
  text: string;
  /** The parsed body; `null` if it is not JSON. */
  body: unknown;
}

export interface RequestOptions {
  headers?: Record<string, string | null>;
  query?: Record<string, string[]>;
  body?: unknown;
}

export interface Browser {
  cookies: Map<string, string>;
  /** `path` is relative to `/dashboard/api`. */
  navigate(path: string, options?: RequestOptions): Promise<BrowserResponse>;
  call(method: string, path: string, options?: RequestOptions): Promise<BrowserResponse>;
  signIn(user: FakeUser, query?: Record<string, string[]>): Promise<BrowserResponse>;
}

export function createBrowser(
  handle: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>,
  provider: FakeOpenIdProvider,
): Browser {
  const cookies = new Map<string, string>();

  const send = async (
    method: string,
    path: string,
    { headers, query, body }: RequestOptions,
    sentCookies: Iterable<[string, string]> = cookies,
  ) => {
    const cookie = [...sentCookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = { ...(cookie !== '' && { Cookie: cookie }), 'User-Agent': 'Example/1.0', ...headers };
    const sent = Object.entries(all).filter(([, value]) => value !== null);
    const event: Partial<APIGatewayProxyEvent> = {
      httpMethod: method,
      resource: '/dashboard/api/{proxy+}',
      path: `/dashboard/api${path}`,
      multiValueHeaders: Object.fromEntries(sent.map(([name, value]) => [name, [String(value)]])),
      multiValueQueryStringParameters: query ?? null,
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      isBase64Encoded: false,
    };
    return receive(await handle(event as APIGatewayProxyEvent));
  };

  const receive = (result: APIGatewayProxyResult): BrowserResponse => {
    const setCookies = result.multiValueHeaders?.['set-cookie'] ?? [];
    for (const setCookie of setCookies) {
      const [, name = '', value = '', maxAge] =
        /^([^=]+)=([^;]*);.*Max-Age=(\d+)/.exec(String(setCookie)) ?? [];
      if (maxAge === '0') cookies.delete(name);
      else cookies.set(name, value);
    }
    const { statusCode: status, headers = {}, body: text } = result;
    const isJson = headers['content-type'] === 'application/json';
    return { status, headers, setCookies, text, body: isJson ? JSON.parse(text) : null };
  };

  const navigate: Browser['navigate'] = (path, options = {}) => {
    // The session's cookie is Strict, so it is left out of navigations that began on the provider's site.
    const lax = [...cookies].filter(([name]) => name !== '__Host-session');
    return send('GET', path, options, lax);
  };

  return {
    cookies,
    navigate,
    call: (method, path, { headers, ...options } = {}) =>
      send(method, path, { ...options, headers: { 'x-dashboard': '1', ...headers } }),
    async signIn(user, query) {
      const { headers } = await navigate('/sign-in', query && { query });
      return navigate('/callback', { query: provider.authorize(String(headers.location), user) });
    },
  };
}
