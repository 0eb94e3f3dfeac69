import type { JsonObject } from '#local/untyped-json.ts';
import type { User } from '../directory/state.ts';

export function describeAttributes({ attributes }: User): JsonObject[] {
  return Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
}

export function describeUser(user: User): JsonObject {
  return {
    Username: user.username,
    Attributes: describeAttributes(user),
    UserCreateDate: Math.floor(user.created_at / 1000),
    UserLastModifiedDate: Math.floor(user.modified_at / 1000),
    Enabled: user.enabled,
    UserStatus: user.status,
  };
}
