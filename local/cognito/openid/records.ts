/** Keeps what oidc-provider stores: sign-in sessions, grants, codes and refresh tokens. */
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { StateStore, StoredRecord } from '../directory/state.ts';

export interface TokenRecords {
  adapter: AdapterFactory;
  /** `false` once the tokens of the grant are revoked. */
  isGrantActive(grantId: string): boolean;
  /** Revokes all tokens of a user. Sign-in sessions stay, as at Cognito. */
  revokeTokens(accountId: string): void;
  endSessions(accountId: string): void;
}

/** Sign-ins that have not finished, codes and access tokens need not survive a restart. */
const persistentModels = ['Grant', 'RefreshToken', 'Session'];

export function createTokenRecords(options: {
  store: StateStore;
  now: () => number;
  /** How long a client's rotated refresh token is still accepted. */
  rotationGraceSeconds(clientId: string): number;
}): TokenRecords {
  const { store, now, rotationGraceSeconds } = options;
  const transientRecords: Record<string, StoredRecord> = {};

  return {
    adapter: createAdapter,
    isGrantActive: (grantId) => find('Grant', grantId) !== undefined,
    revokeTokens(accountId) {
      for (const model of ['Grant', 'RefreshToken', 'AuthorizationCode']) {
        removeWhere(model, (payload) => payload.accountId === accountId);
      }
    },
    endSessions: (accountId) => removeWhere('Session', (payload) => payload.accountId === accountId),
  };

  function createAdapter(model: string): Adapter {
    return {
      async upsert(id, payload, expiresInSeconds = 0) {
        removeExpired(model);
        recordsOf(model)[`${model}:${id}`] = { payload, expires_at: now() + expiresInSeconds * 1000 };
        saveIfPersistent(model);
      },
      find: async (id) => withoutConsumptionInGracePeriod(model, find(model, id)),
      findByUid: async (uid) => findWhere(model, (payload) => payload.uid === uid),
      findByUserCode: async () => undefined,
      async consume(id) {
        const record = recordsOf(model)[`${model}:${id}`];
        if (record === undefined) return;
        record.payload.consumed ??= now();
        saveIfPersistent(model);
      },
      async destroy(id) {
        delete recordsOf(model)[`${model}:${id}`];
        saveIfPersistent(model);
      },
      revokeByGrantId: async (grantId) => removeWhere(model, (payload) => payload.grantId === grantId),
    };
  }

  /**
   * A rotated refresh token stays valid during the grace period. Afterwards it is unknown: unlike oidc-provider, Cognito
   * does not revoke the newer tokens when an old one is presented.
   */
  function withoutConsumptionInGracePeriod(
    model: string,
    payload: AdapterPayload | undefined,
  ): AdapterPayload | undefined {
    if (model !== 'RefreshToken' || payload === undefined || typeof payload.consumed !== 'number')
      return payload;
    const graceMs = rotationGraceSeconds(String(payload.clientId)) * 1000;
    return now() < payload.consumed + graceMs ? { ...payload, consumed: undefined } : undefined;
  }

  function recordsOf(model: string): Record<string, StoredRecord> {
    return persistentModels.includes(model) ? store.state.records : transientRecords;
  }

  function find(model: string, id: string): AdapterPayload | undefined {
    const record = recordsOf(model)[`${model}:${id}`];
    return record === undefined || record.expires_at <= now() ? undefined : record.payload;
  }

  function findWhere(
    model: string,
    predicate: (payload: AdapterPayload) => boolean,
  ): AdapterPayload | undefined {
    return entriesOf(model).find(([, { payload }]) => predicate(payload))?.[1].payload;
  }

  function removeWhere(model: string, predicate: (payload: AdapterPayload) => boolean): void {
    for (const [key, { payload }] of entriesOf(model)) {
      if (predicate(payload)) delete recordsOf(model)[key];
    }
    saveIfPersistent(model);
  }

  function removeExpired(model: string): void {
    for (const [key, record] of entriesOf(model)) {
      if (record.expires_at <= now()) delete recordsOf(model)[key];
    }
  }

  function entriesOf(model: string): [string, StoredRecord][] {
    return Object.entries(recordsOf(model)).filter(([key]) => key.startsWith(`${model}:`));
  }

  function saveIfPersistent(model: string): void {
    if (persistentModels.includes(model)) store.save();
  }
}
