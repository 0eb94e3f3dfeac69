/** A client of the function `Session`: keeps cookies like a browser, and sends what the page of the dashboard sends. */
import type { ProxyHandler } from '#lambdas/platform/http/proxy-pipeline.ts';
import { type ApiResponse, sendApiRequest } from './api-event.ts';
import type { FakeOpenIdProvider } from './fake-openid-provider.ts';
import type { FakeUser } from './fake-pool-state.ts';

interface RequestOptions {
  headers?: Record<string, string | null>;
  query?: Record<string, string[]>;
  body?: unknown;
}

export interface PageClient {
  cookies: Map<string, string>;
  /** `path` is relative to `/dashboard/api`. */
  navigate(path: string, options?: RequestOptions): Promise<ApiResponse>;
  call(method: string, path: string, options?: RequestOptions): Promise<ApiResponse>;
  signIn(user: FakeUser, query?: Record<string, string[]>): Promise<ApiResponse>;
}

export function createPageClient(handle: ProxyHandler, provider: FakeOpenIdProvider): PageClient {
  const cookies = new Map<string, string>();

  const send = async (
    method: string,
    path: string,
    options: RequestOptions,
    sentCookies: Iterable<[string, string]> = cookies,
  ) => {
    const response = await sendApiRequest(handle, { method, path, cookies: sentCookies, ...options });
    for (const setCookie of response.setCookies) {
      const [, name = '', value = '', maxAge] =
        /^([^=]+)=([^;]*);.*Max-Age=(\d+)/.exec(String(setCookie)) ?? [];
      if (maxAge === '0') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };

  const navigate: PageClient['navigate'] = (path, options = {}) => {
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
