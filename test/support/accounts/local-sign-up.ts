/** Signs up at a local gateway with forms alone, for tests that need a session but no browser. */
import type { LocalGateway } from '#local/local-gateway.ts';
import { createVisitor } from '#test/local/cognito/visitor.ts';

export interface LocalSession {
  /** The value of `__Host-session`, for a browser. */
  cookie: string;
  /** Calls the interface of the dashboard as its page does. `path` is below `/dashboard/api`. */
  call(method: string, path: string, body?: object): Promise<Response>;
}

export async function signUpLocally(gateway: LocalGateway, email: string): Promise<LocalSession> {
  const api = `${gateway.dashboardUrl}/dashboard/api`;
  const start = await fetch(`${api}/sign-in`, { redirect: 'manual' });
  const visitor = createVisitor();
  await visitor.open(start.headers.get('location') ?? '');
  const { url: callbackUrl } = await visitor.submit('/local', { email });
  const cookie = cookieOf(start);
  const signedIn = await fetch(callbackUrl, { headers: { cookie }, redirect: 'manual' });
  const session = cookieOf(signedIn);
  const headers = { cookie: session, 'x-dashboard': '1' };
  return {
    cookie: session.slice(session.indexOf('=') + 1),
    call: (method, path, body) =>
      fetch(api + path, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
  };
}

/** The first cookie that a response sets, without its attributes. */
function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}
