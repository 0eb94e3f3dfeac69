/** Sign-in through a company's OpenID provider, to which the user pool is a relying party. */
import * as openid from 'openid-client';
import { messageOf } from '#local/local-gateway-error.ts';
import { isObject, type JsonObject } from '#local/untyped-json.ts';
import type { IdentityProviderSettings } from '../settings/identity-provider.ts';

/** A request to an identity provider, to which the response must fit. */
export interface FederationRequest {
  provider: IdentityProviderSettings;
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** A failure at the identity provider. The message is for the person who signs in. */
export class FederationError extends Error {
  override name = 'FederationError';
}

export interface Federation {
  /**
   * Returns the URL of the provider to which the browser goes. With `asksAgain`, the provider is to ask the person even
   * if it remembers the browser. Rejects with a `FederationError`.
   */
  begin(
    provider: IdentityProviderSettings,
    options: { asksAgain: boolean },
  ): Promise<{ url: string; request: FederationRequest }>;
  /**
   * Returns the claims of the person. Rejects with a `FederationError` when the provider refuses, or its response does not
   * fit the request.
   */
  complete(responseUrl: URL, request: FederationRequest): Promise<JsonObject & { sub: string }>;
}

export function createFederation(options: {
  redirectUri: string;
  clientSecret: string | undefined;
}): Federation {
  const { redirectUri, clientSecret } = options;
  const configurations = new Map<string, openid.Configuration>();
  return {
    begin: (provider, options) => explainFailure(provider, () => begin(provider, options)),
    complete: (responseUrl, request) =>
      explainFailure(request.provider, () => complete(responseUrl, request)),
  };

  async function begin(provider: IdentityProviderSettings, { asksAgain }: { asksAgain: boolean }) {
    const configuration = await discover(provider);
    const state = openid.randomState();
    const nonce = openid.randomNonce();
    const codeVerifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: provider.scopes,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(asksAgain && { prompt: 'login' }),
    });
    return { url: url.href, request: { provider, state, nonce, codeVerifier } };
  }

  async function complete(responseUrl: URL, { provider, state, nonce, codeVerifier }: FederationRequest) {
    const configuration = await discover(provider);
    const tokens = await openid.authorizationCodeGrant(configuration, responseUrl, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims() ?? { sub: '' };
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return { ...claims };
    return { ...claims, ...(await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
  }

  /** A failed discovery is tried again by the next sign-in. */
  async function discover({
    name,
    issuer,
    clientId,
  }: IdentityProviderSettings): Promise<openid.Configuration> {
    const known = configurations.get(name);
    if (known !== undefined) return known;
    const authentication = clientSecret === undefined ? openid.None() : openid.ClientSecretPost(clientSecret);
    const execute = issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [];
    const configuration = await openid.discovery(new URL(issuer), clientId, {}, authentication, { execute });
    configurations.set(name, configuration);
    return configuration;
  }
}

/** openid-client has a class of error for each of many causes. */
async function explainFailure<Result>(
  { name }: IdentityProviderSettings,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const reason =
      error instanceof openid.AuthorizationResponseError
        ? (error.error_description ?? error.error)
        : [error, cause]
            .filter((part) => part instanceof Error)
            .map(messageOf)
            .join(': ');
    throw new FederationError(`The sign-in at ${name} failed: ${reason}`);
  }
}

/** Maps claims to the pool's attributes. An address that the provider does not vouch for is unverified, as at Cognito. */
export function mapAttributes(
  { attributeMapping }: IdentityProviderSettings,
  claims: JsonObject,
): Record<string, string> {
  const mapped = Object.entries(attributeMapping).flatMap(([attribute, claim]) => {
    const value = claims[claim];
    return value === undefined || value === null || isObject(value) ? [] : [[attribute, String(value)]];
  });
  return { email_verified: 'false', ...Object.fromEntries(mapped) };
}
