/** The code flow, refresh and revocation. The library checks PKCE, state, nonce and the ID token's signature and claims. */
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  ClientSecretBasic,
  Configuration,
  calculatePKCECodeChallenge,
  enableNonRepudiationChecks,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
  tokenRevocation,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { ClientSecret } from './client-secret.ts';
import { GrantRefusedError, type IssuedTokens, type OpenIdProvider } from './provider.ts';

interface ProviderAddresses {
  /** The issuer of the tokens, which has the keys at `/.well-known/jwks.json`. */
  issuer: string;
  /** The origin of managed login, which has the token endpoint. */
  signInOrigin: string;
  clientId: string;
}

/** For each request. If the requests of a renewal outlast its lease, another request repeats it with the old token. */
const requestTimeoutSeconds = 4;

/** Nobody can leave out `prompt` to sign in with an older session of managed login. */
const maxAuthenticationAgeSeconds = 600;

/** The last one is for the account page: it permits the user's own calls to Cognito. */
const scope = 'openid email profile aws.cognito.signin.user.admin';

export function createOpenIdProvider(
  addresses: ProviderAddresses,
  clientSecret: ClientSecret,
): OpenIdProvider {
  /** Kept, since the library caches the provider's keys in the configuration. */
  let current: { secret: string; configuration: Configuration } | null = null;

  const configure = async () => {
    const secret = await clientSecret.read();
    if (current?.secret !== secret) current = { secret, configuration: configurationOf(addresses, secret) };
    return current.configuration;
  };

  /** The provider checks the client's secret before it uses up a code or refresh token. */
  const request = async <Result>(send: (configuration: Configuration) => Promise<Result>) => {
    try {
      return await send(await configure());
    } catch (error) {
      if (!isInvalidClient(error)) throw error;
      clientSecret.forget();
      return send(await configure());
    }
  };

  return {
    async authorize({ redirectUri, isSignUp, idpIdentifier, loginHint }) {
      const checks = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(configurationOf(addresses, null), {
        redirect_uri: redirectUri,
        scope,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
        // Managed login has a session of its own for an hour, with which a browser whose session here was ended could
        // sign in again without a password. See also `maxAuthenticationAgeSeconds`.
        prompt: 'login',
        ...(idpIdentifier !== null && { idp_identifier: idpIdentifier }),
        ...(loginHint !== null && { login_hint: loginHint }),
      });
      if (isSignUp) url.pathname = '/signup';
      return { url: url.href, checks };
    },

    exchangeCode: (callbackUrl, { state, nonce, codeVerifier }) =>
      issuedTokens(
        request((configuration) =>
          authorizationCodeGrant(configuration, callbackUrl, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: codeVerifier,
            maxAge: maxAuthenticationAgeSeconds,
            idTokenExpected: true,
          }),
        ),
      ),

    refresh: (refreshToken) =>
      issuedTokens(request((configuration) => refreshTokenGrant(configuration, refreshToken))),

    revoke: (refreshToken) => request((configuration) => tokenRevocation(configuration, refreshToken)),
  };
}

/** Without discovery: the pool's addresses are known. */
function configurationOf(addresses: ProviderAddresses, secret: string | null): Configuration {
  const { issuer, signInOrigin, clientId } = addresses;
  const configuration = new Configuration(
    {
      issuer,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      authorization_endpoint: `${signInOrigin}/oauth2/authorize`,
      token_endpoint: `${signInOrigin}/oauth2/token`,
      revocation_endpoint: `${signInOrigin}/oauth2/revoke`,
    },
    clientId,
    { id_token_signed_response_alg: 'RS256' },
    secret === null ? None() : ClientSecretBasic(secret),
  );
  configuration.timeout = requestTimeoutSeconds;
  enableNonRepudiationChecks(configuration);
  // The local run has no TLS.
  if ([issuer, signInOrigin].some((url) => url.startsWith('http:'))) allowInsecureRequests(configuration);
  return configuration;
}

async function issuedTokens(
  response: Promise<TokenEndpointResponse & TokenEndpointResponseHelpers>,
): Promise<IssuedTokens> {
  const result = await response.catch((error: unknown) => {
    const code = refusalCode(error);
    throw code === null ? error : new GrantRefusedError(code);
  });
  const claims = result.claims();
  // The client's refresh tokens rotate, so every response has one.
  if (claims === undefined || result.refresh_token === undefined)
    throw new GrantRefusedError('missing_token');
  return { tokens: { refreshToken: result.refresh_token, accessToken: result.access_token }, claims };
}

/** https://datatracker.ietf.org/doc/html/rfc6749#section-4.1.2.1 */
const temporaryErrors: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

/** An ID token with a wrong signature, nonce, issuer, audience, algorithm or time, or a malformed response. */
const invalidTokenCodes: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** Returns `null` for an error after which the same grant may succeed, such as a timeout or a failure of the provider. */
function refusalCode(error: unknown): string | null {
  if (error instanceof AuthorizationResponseError) {
    // The text comes from the address of the callback, and the code is logged.
    if (!/^[a-z_]{1,40}$/.test(error.error)) return 'unknown_error';
    return temporaryErrors.has(error.error) ? null : error.error;
  }
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant' ? error.error : null;
  if (error instanceof ClientError && invalidTokenCodes.has(error.code ?? '')) return error.code ?? null;
  return null;
}

function isInvalidClient(error: unknown): boolean {
  return (
    (error instanceof ResponseBodyError && error.error === 'invalid_client') ||
    (error instanceof WWWAuthenticateChallengeError && error.status === 401)
  );
}
