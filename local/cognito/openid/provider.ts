/** oidc-provider with Cognito's paths and rules: it serves relying parties, and manages sign-in sessions. */

import {
  type ClientMetadata,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { hourSeconds } from '#lambdas/platform/duration.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import { isObject } from '#local/untyped-json.ts';
import type { ClientSettings } from '../settings/client.ts';
import { findClient, findIdentityProvider, type UserPool } from '../user-pool.ts';
import { createSignInPolicy, sessionSeconds } from './sign-in-policy.ts';
import { signTokens } from './tokens.ts';

export const paths = {
  authorize: '/oauth2/authorize',
  token: '/oauth2/token',
  revoke: '/oauth2/revoke',
  userInfo: '/oauth2/userInfo',
  identityProviderResponse: '/oauth2/idpresponse',
  jwks: '/.well-known/jwks.json',
  discovery: '/.well-known/openid-configuration',
  /** The end of a sign-in that began at `/passkeys/add`. */
  signedInForPasskey: '/passkeys/add/signed-in',
} as const;

/** The time for a sign-in, with its mails. */
const interactionSeconds = hourSeconds;

const cookieOptions = { path: '/', httpOnly: true, sameSite: 'lax' } as const;

/** The page, or the identity provider's URL, to which a person without a session is sent. */
export type SignInUrl = NonNullable<NonNullable<Configuration['interactions']>['url']>;

export function createOpenIdProvider(
  pool: UserPool,
  options: { signInUrl: SignInUrl; renderError: NonNullable<Configuration['renderError']> },
): Provider {
  const provider = new Provider(pool.signInOrigin, {
    ...clientConfiguration(pool),
    ...sessionConfiguration(pool),
    adapter: pool.tokens.adapter,
    jwks: { keys: [pool.signingKey.jwk] },
    routes: {
      authorization: paths.authorize,
      token: paths.token,
      revocation: paths.revoke,
      jwks: paths.jwks,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_, { clientId }, token) =>
          token.clientId === clientId && findClient(pool, clientId).revocation,
      },
    },
    interactions: {
      policy: createSignInPolicy(pool),
      async url(ctx, interaction) {
        // A session that is not resumed may expire meanwhile, which must not end the sign-in.
        interaction.session = undefined;
        await interaction.persist();
        return options.signInUrl(ctx, interaction);
      },
    },
    renderError: options.renderError,
    clientBasedCORS: () => false,
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.method === 'POST' && ctx.path === paths.token && ctx.status === 200) {
      replaceTokens(pool, ctx.oidc, ctx.body);
    }
  });
  provider.on('server_error', (_, error) => pool.log(`sign-in: ${error.stack}`));
  provider.onerror = (error) => pool.log(`sign-in: ${error.stack}`);
  return provider;
}

function clientConfiguration(pool: UserPool): Configuration {
  const { clients } = pool.settings;
  const scopes = ['openid', ...clients.flatMap((client) => client.scopes)];
  return {
    clients: clients.map((client) => describeClient(pool, client)),
    scopes: [...new Set(scopes)],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    pkce: { required: () => false },
    extraParams: {
      // Validators run for every authorization request, whether it has the parameter or not.
      identity_provider: (ctx, _, { clientId }) => assertAllowed(pool, findClient(pool, clientId), ctx.query),
      idp_identifier: null,
      lang: null,
      screen: null,
    },
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: (ctx) => clientOf(pool, ctx).rotationGraceSeconds !== null,
    // Cognito's refresh tokens outlive the session of managed login.
    expiresWithSession: () => false,
  };
}

function describeClient({ clientSecrets, signInOrigin }: UserPool, client: ClientSettings): ClientMetadata {
  const redirectUris = [...client.callbackUrls, `${signInOrigin}${paths.signedInForPasskey}`];
  return {
    client_id: client.id,
    client_secret: clientSecrets[client.id],
    token_endpoint_auth_method: client.hasSecret ? 'client_secret_basic' : 'none',
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', ...(client.refreshTokens ? ['refresh_token'] : [])],
    response_types: client.authorizationCodes ? ['code'] : [],
    scope: client.scopes.join(' '),
  };
}

/** oidc-provider drops scopes that it does not know; Cognito refuses them. */
function assertAllowed(pool: UserPool, client: ClientSettings, parameters: Record<string, unknown>): void {
  const scopes = String(parameters.scope ?? '').split(' ');
  const refused = scopes.find((scope) => scope !== '' && !client.scopes.includes(scope));
  if (refused !== undefined) throw new errors.InvalidScope('requested scope is not allowed', refused);
  const { identity_provider: name, idp_identifier: identifier } = parameters;
  if (name === undefined && identifier === undefined) return;
  if (name !== 'COGNITO' && findIdentityProvider(pool, client, parameters) === undefined) {
    throw new errors.InvalidRequest(
      `the identity provider ${name ?? identifier} is not available to this client`,
    );
  }
}

function sessionConfiguration(pool: UserPool): Configuration {
  const { users } = pool;
  return {
    cookies: {
      // Browsers share cookies between ports, so another provider on this machine must not have the same names.
      names: { session: 'cognito', interaction: 'cognito-sign-in', resume: 'cognito-authorization' },
      short: cookieOptions,
      long: cookieOptions,
    },
    findAccount: (_, sub) =>
      users.findBySub(sub)?.enabled ? { accountId: sub, claims: () => ({ sub }) } : undefined,
    /** Each authorization gets a grant of its own, which revocation ends. */
    async loadExistingGrant({ oidc }) {
      const { account, client, params, provider } = oidc;
      const grant = new provider.Grant({ accountId: account?.accountId, clientId: client?.clientId });
      grant.addOIDCScope(String(params?.scope));
      await grant.save();
      return grant;
    },
    ttl: {
      AuthorizationCode: 300,
      AccessToken: (ctx) => clientOf(pool, ctx).accessTokenSeconds,
      IdToken: (ctx) => clientOf(pool, ctx).idTokenSeconds,
      // A rotated token ends when the first one would have.
      RefreshToken: (ctx) =>
        remainingSeconds(ctx.oidc.entities.RotatedRefreshToken?.exp, pool.now()) ??
        clientOf(pool, ctx).refreshTokenSeconds,
      // A grant is older than its refresh token by the age of the authorization code.
      Grant: (ctx) => clientOf(pool, ctx).refreshTokenSeconds + 300,
      Interaction: interactionSeconds,
      Session: (_, { loginTs }) =>
        remainingSeconds(loginTs === undefined ? undefined : loginTs + sessionSeconds, pool.now()) ??
        sessionSeconds,
    },
  };
}

/** At least one, as oidc-provider requires a positive number. */
function remainingSeconds(expiresAt: number | undefined, nowMs: number): number | undefined {
  return expiresAt === undefined ? undefined : Math.max(1, expiresAt - Math.floor(nowMs / 1000));
}

function clientOf(pool: UserPool, { oidc }: KoaContextWithOIDC): ClientSettings {
  return findClient(pool, oidc.client?.clientId ?? '');
}

/** Puts Cognito's JSON Web Tokens in the place of oidc-provider's tokens. */
function replaceTokens(pool: UserPool, oidc: KoaContextWithOIDC['oidc'], body: unknown): void {
  const { AccessToken, AuthorizationCode, RefreshToken } = oidc.entities;
  const user = pool.users.findBySub(AccessToken?.accountId ?? '');
  const authenticatedAt = (AuthorizationCode ?? RefreshToken)?.authTime;
  if (AccessToken === undefined || user === undefined || authenticatedAt === undefined || !isObject(body)) {
    throw new LocalGatewayError('The token response has no access token, or not the time of the sign-in');
  }
  const { accessToken, idToken } = signTokens(
    {
      user,
      client: findClient(pool, AccessToken.clientId ?? ''),
      issuer: pool.signInOrigin,
      scope: AccessToken.scope ?? '',
      grantId: AccessToken.grantId,
      authenticatedAt,
      nonce: AuthorizationCode?.nonce,
    },
    pool.signingKey,
    pool.now,
  );
  Object.assign(body, { access_token: accessToken, id_token: idToken });
}
