import { asList, isObject, parseJson } from '#local/untyped-json.ts';
import type { StateStore, User } from './state.ts';

export interface Users {
  all(): readonly User[];
  /** Accepts the user name, the `sub` and, for accounts of the pool itself, the address. */
  find(name: string): User | undefined;
  findBySub(sub: string): User | undefined;
  /** Finds an account of the pool itself; federated accounts may have the same address. */
  findByEmail(email: string): User | undefined;
  create(user: Pick<User, 'username' | 'attributes' | 'status' | 'password'>): User;
  /** Saves the user after a change of its fields. */
  update(user: User, change?: Partial<User>): void;
  remove(user: User): void;
}

export function createUsers({ state, save }: StateStore, now: () => number): Users {
  const find = (predicate: (user: User) => boolean) => state.users.find(predicate);
  const findBySub = (sub: string) => find(({ attributes }) => attributes.sub === sub);
  const findByEmail = (email: string) =>
    find(
      ({ attributes, status }) =>
        status !== 'EXTERNAL_PROVIDER' && attributes.email?.toLowerCase() === email.toLowerCase(),
    );
  return {
    all: () => state.users,
    find: (name) => find(({ username }) => username === name) ?? findBySub(name) ?? findByEmail(name),
    findBySub,
    findByEmail,
    create(properties) {
      const times = { created_at: now(), modified_at: now() };
      const user: User = { ...properties, ...times, enabled: true, passkeys: [], codes: {} };
      state.users.push(user);
      save();
      return user;
    },
    update(user, change = {}) {
      Object.assign(user, change, { modified_at: now() });
      save();
    },
    remove(user) {
      state.users = state.users.filter((other) => other !== user);
      save();
    },
  };
}

export function emailOf({ attributes }: User): string {
  return attributes.email ?? '';
}

export function subOf({ attributes }: User): string {
  return attributes.sub ?? '';
}

/** Returns the name of the identity provider at which the user signs in; `COGNITO` for accounts of the pool itself. */
export function identityProviderOf({ attributes }: User): string {
  const [identity] = asList(parseJson(attributes.identities ?? '[]'));
  return isObject(identity) ? String(identity.providerName) : 'COGNITO';
}
