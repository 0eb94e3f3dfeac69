/** Cognito's JSON API for a fake user pool: only what users do with their access token, and `DescribeUserPoolClient`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { FakePoolState, FakeUser } from './fake-pool-state.ts';

interface CognitoRequest {
  operation: string;
  input: Record<string, unknown>;
}

export interface FakeCognitoApi {
  requests: CognitoRequest[];
  /** Errors by operation, instead of its effect. */
  failures: Map<string, string>;
  /** Codes that the pool accepts for a new address and for TOTP. */
  validCode: string;
  totpSecret: string;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

interface MfaPreference {
  SoftwareTokenMfaSettings?: { Enabled: boolean };
  WebAuthnMfaSettings?: { Enabled: boolean };
}

/** Thrown to send an error response. */
class CognitoError extends Error {}

export function createFakeCognitoApi(pool: FakePoolState, clientSecret: () => string): FakeCognitoApi {
  const requests: CognitoRequest[] = [];
  const failures = new Map<string, string>();
  const validCode = '123456';
  const totpSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

  const operations: Record<string, (user: FakeUser, input: Record<string, unknown>) => object> = {
    GetUser: (user) => ({
      Username: user.sub,
      UserAttributes: [
        { Name: 'email', Value: user.email },
        { Name: 'email_verified', Value: String(user.isEmailVerified) },
        ...(user.name === undefined ? [] : [{ Name: 'name', Value: user.name }]),
      ],
      UserMFASettingList: [
        ...(user.isTotpEnabled ? ['SOFTWARE_TOKEN_MFA'] : []),
        ...(user.isPasskeyMfaEnabled ? ['WEB_AUTHN_MFA'] : []),
      ],
    }),
    UpdateUserAttributes(user, { UserAttributes }) {
      for (const { Name, Value } of UserAttributes as { Name: string; Value: string }[]) {
        if (Name === 'name') user.name = Value;
        else user.pendingEmail = Value;
      }
      return {};
    },
    VerifyUserAttribute(user, { Code }) {
      if (Code !== validCode || user.pendingEmail === undefined)
        throw new CognitoError('CodeMismatchException');
      user.email = user.pendingEmail;
      return {};
    },
    // Pages of one passkey.
    ListWebAuthnCredentials(user, { NextToken }) {
      const index = Number(NextToken ?? 0);
      const next = index + 1 < user.passkeys.length ? { NextToken: String(index + 1) } : {};
      return { Credentials: user.passkeys.slice(index, index + 1), ...next };
    },
    DeleteWebAuthnCredential(user, { CredentialId }) {
      const index = user.passkeys.findIndex((passkey) => passkey.CredentialId === CredentialId);
      if (index === -1) throw new CognitoError('ResourceNotFoundException');
      user.passkeys.splice(index, 1);
      return {};
    },
    AssociateSoftwareToken: () => ({ SecretCode: totpSecret }),
    VerifySoftwareToken(_user, { UserCode }) {
      if (UserCode !== validCode) throw new CognitoError('EnableSoftwareTokenMFAException');
      return { Status: 'SUCCESS' };
    },
    SetUserMFAPreference(user, input) {
      const { SoftwareTokenMfaSettings: totp, WebAuthnMfaSettings: passkey } = input as MfaPreference;
      const isTotpEnabled = totp?.Enabled ?? user.isTotpEnabled;
      const isPasskeyMfaEnabled = passkey?.Enabled ?? user.isPasskeyMfaEnabled;
      // Cognito accepts passkeys as a factor only beside another one, in the same call.
      const isAlone = passkey?.Enabled === true && totp?.Enabled !== true;
      if (isAlone || (isPasskeyMfaEnabled && !isTotpEnabled))
        throw new CognitoError('InvalidParameterException');
      Object.assign(user, { isTotpEnabled, isPasskeyMfaEnabled });
      return {};
    },
    GlobalSignOut(user) {
      pool.revokeAll(user.sub);
      return {};
    },
    DeleteUser(user) {
      pool.users.delete(user.sub);
      return {};
    },
  };

  const respond = ({ operation, input }: CognitoRequest): object => {
    const failure = failures.get(operation);
    if (failure !== undefined) throw new CognitoError(failure);
    if (operation === 'DescribeUserPoolClient') return { UserPoolClient: { ClientSecret: clientSecret() } };
    const user = pool.userOfAccessToken(String(input.AccessToken));
    if (user === 'deleted') throw new CognitoError('UserNotFoundException');
    if (user === 'unknown') throw new CognitoError('NotAuthorizedException');
    return operations[operation]?.(user, input) ?? {};
  };

  return {
    requests,
    failures,
    validCode,
    totpSecret,
    async handle(request, response) {
      const target = String(request.headers['x-amz-target']);
      const input = (await json(request)) as Record<string, unknown>;
      const call = { operation: target.replace('AWSCognitoIdentityProviderService.', ''), input };
      requests.push(call);
      const send = (status: number, body: object) =>
        response
          .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
          .end(JSON.stringify(body));
      try {
        send(200, respond(call));
      } catch (error) {
        if (!(error instanceof CognitoError)) throw error;
        const status = error.message === 'InternalErrorException' ? 500 : 400;
        send(status, { __type: error.message, message: 'A message that quotes secret input' });
      }
    },
  };
}
