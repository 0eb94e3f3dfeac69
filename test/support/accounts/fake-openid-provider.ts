/** The endpoints of a fake user pool's OpenID provider, which checks what Cognito checks. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { FakePoolState, FakeUser } from './fake-pool-state.ts';

export const fakeClient = { id: 'client-1', redirectUri: 'https://dashboard.example/dashboard/api/callback' };

/** Deviations of the provider, for tests of their detection. */
interface ProviderBehaviour {
  clientSecret: string;
  /** Changes the claims of ID tokens. */
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** Changes ID tokens after they were signed. */
  idToken?: (token: string) => string;
  signsWithUnknownKey?: boolean;
  /** Instead of the token endpoint's response. `no response` closes the connection. */
  failure?: 500 | 'no response';
  /** Called with the grant's type before the token endpoint reads the grant, and before it responds. */
  beforeGrant?: (grantType: string) => Promise<void>;
  beforeResponse?: (grantType: string) => Promise<void>;
}

export interface FakeOpenIdProvider {
  behaviour: ProviderBehaviour;
  /** The paths of all requests; those to the token endpoint end with the grant's type. */
  requests: string[];
  /** The visit of a browser to the sign-in page. Returns the query of the callback. */
  authorize(location: string, user: FakeUser): Record<string, string[]>;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface Authorization {
  sub: string;
  nonce: string;
  codeChallenge: string;
  redirectUri: string;
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey: unknownKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'RS256', use: 'sig' }] };

export function createFakeOpenIdProvider(pool: FakePoolState, issuer: () => string): FakeOpenIdProvider {
  const behaviour: ProviderBehaviour = { clientSecret: 'secret-1' };
  const requests: string[] = [];
  const codes = new Map<string, Authorization>();

  const idTokenFor = (user: FakeUser, nonce: string | undefined) => {
    const issuedAt = Math.floor(Date.now() / 1000);
    const claims = {
      ...claimsOf(user),
      ...(nonce !== undefined && { nonce }),
      iss: issuer(),
      aud: fakeClient.id,
      iat: issuedAt,
      auth_time: issuedAt,
      exp: issuedAt + 3900,
    };
    const key = behaviour.signsWithUnknownKey ? unknownKey : privateKey;
    const token = signToken(behaviour.claims?.(claims) ?? claims, key);
    return behaviour.idToken?.(token) ?? token;
  };

  /** Returns the response's body, or the error code of a refusal. */
  const exchange = (form: URLSearchParams): object | string => {
    if (form.get('grant_type') === 'refresh_token') {
      const redeemed = pool.redeemRefreshToken(form.get('refresh_token') ?? '');
      if (redeemed === null) return 'invalid_grant';
      const { grant, user } = redeemed;
      return { ...pool.issueTokens(grant), token_type: 'Bearer', id_token: idTokenFor(user, undefined) };
    }
    const code = form.get('code') ?? '';
    const authorization = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const user = pool.users.get(authorization?.sub ?? '');
    const isValid =
      authorization?.codeChallenge === challenge && authorization.redirectUri === form.get('redirect_uri');
    if (!isValid || user === undefined) return 'invalid_grant';
    const tokens = pool.issueTokens({ sub: user.sub, isRevoked: false });
    return { ...tokens, token_type: 'Bearer', id_token: idTokenFor(user, authorization.nonce) };
  };

  return {
    behaviour,
    requests,
    authorize(location, user) {
      const { searchParams } = new URL(location);
      const parameter = (name: string) => searchParams.get(name) ?? '';
      const code = randomBytes(16).toString('hex');
      codes.set(code, {
        sub: user.sub,
        nonce: parameter('nonce'),
        codeChallenge: parameter('code_challenge'),
        redirectUri: parameter('redirect_uri'),
      });
      return { code: [code], state: [parameter('state')] };
    },
    async handle(request, response) {
      const form = new URLSearchParams(await text(request));
      const grantType = form.get('grant_type') ?? '';
      requests.push(`${request.url}${grantType && ` ${grantType}`}`);
      if (request.url === '/.well-known/jwks.json') return sendJson(response, 200, jwks);
      if (behaviour.failure === 'no response') return void response.destroy();
      if (behaviour.failure === 500) return sendJson(response, 500, { message: 'internal error' });
      if (request.headers.authorization !== basic(behaviour.clientSecret)) {
        return sendJson(response, 400, { error: 'invalid_client' });
      }
      if (request.url === '/oauth2/revoke') {
        pool.revokeRefreshToken(form.get('token') ?? '');
        return void response.writeHead(200).end();
      }
      await behaviour.beforeGrant?.(grantType);
      const result = exchange(form);
      await behaviour.beforeResponse?.(grantType);
      if (typeof result === 'string') return sendJson(response, 400, { error: result });
      return sendJson(response, 200, result);
    },
  };
}

function claimsOf({ sub, email, isEmailVerified, name, providerName }: FakeUser): Record<string, unknown> {
  return {
    sub,
    email,
    email_verified: isEmailVerified,
    ...(name !== undefined && { name }),
    ...(providerName !== undefined && { identities: [{ userId: '1', providerName, providerType: 'OIDC' }] }),
    token_use: 'id',
  };
}

function signToken(claims: object, key: KeyObject): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const content = `${encode({ alg: 'RS256', kid: 'key-1' })}.${encode(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

function basic(secret: string): string {
  return `Basic ${Buffer.from(`${fakeClient.id.replace('-', '%2D')}:${secret.replace('-', '%2D')}`).toString('base64')}`;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
