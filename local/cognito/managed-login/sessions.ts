/** Pages that depend on the session of managed login: logout, and adding a passkey. */
import type { Provider } from 'oidc-provider';
import type { JsonObject } from '#local/untyped-json.ts';
import { CognitoError } from '../cognito-error.ts';
import { createRegistrationOptions, registerPasskey } from '../directory/passkeys.ts';
import type { User } from '../directory/state.ts';
import { emailOf } from '../directory/users.ts';
import { paths } from '../openid/provider.ts';
import type { UserPool } from '../user-pool.ts';
import type { HttpContext, Page } from './http-context.ts';
import { errorPage } from './pages/error.ts';
import { addPasskeyPage } from './pages/factors.ts';
import { type PageResponse, redirect, show } from './visit.ts';

/** Removes the session and its cookie. Tokens stay valid, as at Cognito. */
export async function endSession(provider: Provider, ctx: HttpContext): Promise<void> {
  const session = await provider.Session.get(ctx);
  await session.destroy();
  ctx.cookies.set(provider.cookieName('session'), null, { path: '/' });
}

export function createSessionPages(pool: UserPool, provider: Provider): Record<string, Page> {
  /** Challenges of the latest WebAuthn options, by session. */
  const challenges = new Map<string, string>();

  return {
    'GET /logout': async (ctx) => {
      const { logout_uri: url } = ctx.query;
      const client = pool.settings.clients.find(({ id }) => id === ctx.query.client_id);
      if (typeof url !== 'string' || !client?.logoutUrls.includes(url)) {
        return refuse(client === undefined ? 'client_id' : 'logout_uri');
      }
      await endSession(provider, ctx);
      return redirect(url);
    },

    'GET /passkeys/add': async (ctx) => {
      const { client_id: clientId, redirect_uri: returnUrl } = ctx.query;
      const client = pool.settings.clients.find(({ id }) => id === clientId);
      if (typeof returnUrl !== 'string' || !client?.callbackUrls.includes(returnUrl)) {
        return refuse(client === undefined ? 'client_id' : 'redirect_uri');
      }
      const { user } = await findSession(ctx);
      if (user === undefined) return redirect(signInUrl(client.id, ctx.querystring));
      if (!mayHavePasskeys(user)) {
        const message = `${emailOf(user)} has no passkeys here: it signs in at the company's identity provider.`;
        return { kind: 'page', page: errorPage({ code: 'invalid_request', message }), status: 400 };
      }
      return show(addPasskeyPage({ email: emailOf(user), query: ctx.querystring, returnUrl }));
    },

    [`GET ${paths.signedInForPasskey}`]: (ctx) => redirect(`/passkeys/add?${ctx.query.state ?? ''}`),

    'POST /passkeys/add/options': async (ctx) => {
      const { user, sessionId } = await requireSession(ctx);
      const body: JsonObject & { challenge: string } = { ...(await createRegistrationOptions(pool, user)) };
      challenges.set(sessionId, body.challenge);
      return { kind: 'json', body };
    },

    'POST /passkeys/add': async (ctx, { json }) => {
      const { user, sessionId } = await requireSession(ctx);
      const challenge = challenges.get(sessionId);
      challenges.delete(sessionId);
      await registerPasskey(pool, user, { response: json, challenge });
      return { kind: 'json', body: { location: ctx.query.redirect_uri } };
    },
  };

  async function findSession(ctx: HttpContext): Promise<{ user: User | undefined; sessionId: string }> {
    const { accountId, uid } = await provider.Session.get(ctx);
    return { user: pool.users.findBySub(accountId ?? ''), sessionId: uid };
  }

  async function requireSession(ctx: HttpContext): Promise<{ user: User; sessionId: string }> {
    const { user, sessionId } = await findSession(ctx);
    if (user !== undefined && mayHavePasskeys(user)) return { user, sessionId };
    throw new CognitoError('NotAuthorizedException', 'Sign in again to create a passkey.');
  }

  function mayHavePasskeys({ enabled, status }: User): boolean {
    return pool.settings.passkeys !== null && enabled && status === 'CONFIRMED';
  }

  /** An authorization request that ends on a path of this origin, which goes on with `query`. */
  function signInUrl(clientId: string, query: string): string {
    const parameters = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `${pool.signInOrigin}${paths.signedInForPasskey}`,
      state: query,
    });
    return `${paths.authorize}?${parameters}`;
  }
}

function refuse(parameter: 'client_id' | 'logout_uri' | 'redirect_uri'): PageResponse {
  const message =
    parameter === 'client_id'
      ? 'The client of this request does not exist.'
      : `The ${parameter} of this request is not among the URLs of the client.`;
  const code = parameter === 'client_id' ? 'invalid_request' : 'redirect_mismatch';
  return { kind: 'page', page: errorPage({ code, message }), status: 400 };
}
