/** Operations that IAM authorizes. */
import type { JsonObject } from '#local/untyped-json.ts';
import { CognitoError } from '../cognito-error.ts';
import type { User } from '../directory/state.ts';
import { subOf } from '../directory/users.ts';
import { findClient, signOutUser, type UserPool } from '../user-pool.ts';
import { describeUser } from './user-description.ts';

export const operatorOperations: Record<string, (pool: UserPool, body: JsonObject) => JsonObject> = {
  DescribeUserPoolClient(pool, { ClientId }) {
    const client = findClient(pool, String(ClientId));
    return {
      UserPoolClient: {
        UserPoolId: pool.settings.id,
        ClientId: client.id,
        ClientName: client.name,
        ClientSecret: pool.clientSecrets[client.id],
        CallbackURLs: client.callbackUrls,
        LogoutURLs: client.logoutUrls,
        AllowedOAuthScopes: client.scopes,
        SupportedIdentityProviders: client.identityProviders,
      },
    };
  },
  AdminDisableUser: (pool, body) => setEnabled(pool, findUser(pool, body), false),
  AdminEnableUser: (pool, body) => setEnabled(pool, findUser(pool, body), true),
  AdminUserGlobalSignOut(pool, body) {
    pool.tokens.revokeTokens(subOf(findUser(pool, body)));
    return {};
  },
  AdminDeleteUser(pool, body) {
    const user = findUser(pool, body);
    signOutUser(pool, user);
    pool.users.remove(user);
    return {};
  },
  ListUsers: (pool, { Filter }) => ({ Users: filterUsers(pool, Filter).map(describeUser) }),
};

function findUser({ users }: UserPool, { Username }: JsonObject): User {
  const user = users.find(String(Username));
  if (user === undefined) throw new CognitoError('UserNotFoundException', 'User does not exist.');
  return user;
}

function setEnabled(pool: UserPool, user: User, enabled: boolean): JsonObject {
  pool.users.update(user, { enabled });
  if (!enabled) signOutUser(pool, user);
  return {};
}

/** Supports comparisons of one attribute: `email = "…"` and `email ^= "…"`. */
function filterUsers({ users }: UserPool, filter: unknown): User[] {
  if (filter === undefined || filter === '') return [...users.all()];
  const [, attribute = '', operator, value = ''] = /^(\w+) *(\^?=) *"(.*)"$/.exec(String(filter)) ?? [];
  if (operator === undefined)
    throw new CognitoError('InvalidParameterException', 'Error while parsing filter.');
  return users.all().filter(({ username, attributes }) => {
    const actual = attribute === 'username' ? username : (attributes[attribute] ?? '');
    return operator === '=' ? actual === value : actual.startsWith(value);
  });
}
