import {
  AssociateSoftwareTokenCommand,
  type CognitoIdentityProviderClient,
  DeleteUserCommand,
  DeleteWebAuthnCredentialCommand,
  GetUserCommand,
  GlobalSignOutCommand,
  ListWebAuthnCredentialsCommand,
  SetUserMFAPreferenceCommand,
  UpdateUserAttributesCommand,
  VerifySoftwareTokenCommand,
  VerifyUserAttributeCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import type { Passkey, UserApi } from './user-api.ts';
import { toUserApiError, wrongCode } from './user-api-errors.ts';

/** Cognito's constant for the only kind of TOTP. */
const totpMethod = 'SOFTWARE_TOKEN_MFA';

/** Only these operations: all of them take an access token in the body, and no permission of the function. */
export function createCognitoUserApi(client: CognitoIdentityProviderClient): UserApi {
  return {
    async readProfile(AccessToken) {
      const user = await call(client.send(new GetUserCommand({ AccessToken })));
      const attribute = (name: string) => user.UserAttributes?.find(({ Name }) => Name === name)?.Value;
      return {
        email: (attribute('email') ?? '').toLowerCase(),
        name: attribute('name') || null,
        isTotpEnabled: user.UserMFASettingList?.includes(totpMethod) ?? false,
      };
    },

    async changeName(AccessToken, name) {
      const UserAttributes = [{ Name: 'name', Value: name }];
      await call(client.send(new UpdateUserAttributesCommand({ AccessToken, UserAttributes })), 'name');
    },

    async changeEmail(AccessToken, email) {
      const UserAttributes = [{ Name: 'email', Value: email }];
      await call(client.send(new UpdateUserAttributesCommand({ AccessToken, UserAttributes })), 'email');
    },

    async verifyEmail(AccessToken, Code) {
      const input = { AccessToken, AttributeName: 'email', Code };
      await call(client.send(new VerifyUserAttributeCommand(input)), 'code');
    },

    async listPasskeys(AccessToken) {
      const passkeys: Passkey[] = [];
      let NextToken: string | undefined;
      do {
        const page = await call(client.send(new ListWebAuthnCredentialsCommand({ AccessToken, NextToken })));
        for (const { CredentialId = '', FriendlyCredentialName = '', CreatedAt } of page.Credentials ?? []) {
          const createdAt = (CreatedAt ?? new Date(0)).toISOString();
          passkeys.push({ id: CredentialId, name: FriendlyCredentialName, createdAt });
        }
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
      return passkeys;
    },

    async deletePasskey(AccessToken, CredentialId) {
      await call(client.send(new DeleteWebAuthnCredentialCommand({ AccessToken, CredentialId })), 'id');
    },

    async createTotpSecret(AccessToken) {
      const { SecretCode } = await call(client.send(new AssociateSoftwareTokenCommand({ AccessToken })));
      if (SecretCode === undefined) throw new Error('Cognito returned no secret');
      return SecretCode;
    },

    async enableTotp(AccessToken, UserCode) {
      const { Status } = await call(
        client.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode })),
        'code',
      );
      if (Status !== 'SUCCESS') throw wrongCode();
      await setTotp(client, { AccessToken, Enabled: true });
    },

    disableTotp: (AccessToken) => setTotp(client, { AccessToken, Enabled: false }),

    async signOutEverywhere(AccessToken) {
      await call(client.send(new GlobalSignOutCommand({ AccessToken })));
    },

    async deleteUser(AccessToken) {
      await call(client.send(new DeleteUserCommand({ AccessToken })));
    },
  };
}

async function setTotp(
  client: CognitoIdentityProviderClient,
  { AccessToken, Enabled }: { AccessToken: string; Enabled: boolean },
): Promise<void> {
  const SoftwareTokenMfaSettings = { Enabled, PreferredMfa: Enabled };
  await call(client.send(new SetUserMFAPreferenceCommand({ AccessToken, SoftwareTokenMfaSettings })));
}

async function call<Output>(response: Promise<Output>, param: string | null = null): Promise<Output> {
  try {
    return await response;
  } catch (error) {
    throw toUserApiError(error, param);
  }
}
