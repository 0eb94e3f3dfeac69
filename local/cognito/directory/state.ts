/** The data of the user pool: users, tokens, keys. Everything is kept in memory; with a file, also there. */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import { writePrivateFile } from '#local/private-file.ts';

/** Times are in milliseconds since 1970. */
const userSchema = z.object({
  /** The `sub` for accounts of the pool itself, `<provider>_<subject>` for federated ones. */
  username: z.string(),
  /** As Cognito keeps them: strings only, such as `email_verified: 'true'`. */
  attributes: z.record(z.string(), z.string()),
  status: z.enum(['UNCONFIRMED', 'CONFIRMED', 'EXTERNAL_PROVIDER']),
  enabled: z.boolean(),
  created_at: z.number(),
  modified_at: z.number(),
  password: z.object({ salt: z.string(), hash: z.string() }).optional(),
  totp: z
    .object({
      secret: z.string(),
      enabled: z.boolean(),
      /** Time step of the last accepted code, which is not accepted again. */
      last_time_step: z.number(),
    })
    .optional(),
  /** A secret whose first code has not been verified yet. */
  new_totp_secret: z.string().optional(),
  /** The preference that a passkey satisfies multi-factor authentication. */
  passkey_mfa: z.boolean().optional(),
  passkeys: z.array(
    z.object({
      id: z.string(),
      public_key: z.string(),
      counter: z.number(),
      transports: z.array(z.string()),
      name: z.string(),
      created_at: z.number(),
    }),
  ),
  /** Codes that were mailed, by their purpose. */
  codes: z.partialRecord(
    z.enum(['sign up', 'password', 'email']),
    z.object({ code: z.string(), expires_at: z.number() }),
  ),
  /** An address that is not verified yet. */
  pending_email: z.string().optional(),
});

const recordSchema = z.object({ payload: z.record(z.string(), z.unknown()), expires_at: z.number() });

const stateSchema = z.object({
  signing_key: z.record(z.string(), z.string()).optional(),
  client_secrets: z.record(z.string(), z.string()),
  users: z.array(userSchema),
  /** Sign-in sessions, grants and refresh tokens, by model and id. */
  records: z.record(z.string(), recordSchema),
});

export type User = z.infer<typeof userSchema>;
export type CodePurpose = keyof User['codes'];
export type StoredRecord = z.infer<typeof recordSchema>;
type PoolState = z.infer<typeof stateSchema>;

export interface StateStore {
  state: PoolState;
  /** Writes the file. To be called after each change. */
  save(): void;
}

/** Throws when the file is not one that this code has written. */
export function openStateStore(file: string | undefined): StateStore {
  const state = file === undefined ? emptyState() : readState(file);
  return {
    state,
    save() {
      if (file !== undefined) writePrivateFile(file, `${JSON.stringify(state, null, 2)}\n`);
    },
  };
}

function emptyState(): PoolState {
  return { client_secrets: {}, users: [], records: {} };
}

function readState(file: string): PoolState {
  if (!existsSync(file)) return emptyState();
  try {
    return stateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new LocalGatewayError(`${file} cannot be read: delete it to start with an empty user pool`);
  }
}
