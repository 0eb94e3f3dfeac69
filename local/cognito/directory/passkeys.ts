/** Passkeys: discoverable WebAuthn credentials with user verification. */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { isObject } from '#local/untyped-json.ts';
import { CognitoError } from '../cognito-error.ts';
import type { UserPool } from '../user-pool.ts';
import type { User } from './state.ts';
import { emailOf, subOf } from './users.ts';

/** ES256 and RS256, as at Cognito: https://www.iana.org/assignments/cose/cose.xhtml#algorithms */
const algorithmIds = [-7, -257];

export async function createRegistrationOptions({ signInOrigin }: UserPool, user: User) {
  return generateRegistrationOptions({
    rpName: 'AI gateway (local)',
    rpID: relyingPartyId(signInOrigin),
    userName: emailOf(user),
    userDisplayName: user.attributes.name ?? emailOf(user),
    userID: new Uint8Array(Buffer.from(subOf(user))),
    excludeCredentials: user.passkeys.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithmIds,
  });
}

/** `response` comes from the browser. Throws `NotAuthorizedException` when it does not fit the challenge. */
export async function registerPasskey(
  pool: UserPool,
  user: User,
  { response, challenge }: { response: unknown; challenge: string | undefined },
): Promise<void> {
  const { signInOrigin, users, now } = pool;
  const verification = await orUnauthorized(() =>
    verifyRegistrationResponse({
      response: asRegistration(response),
      expectedChallenge: challenge ?? '',
      expectedOrigin: signInOrigin,
      expectedRPID: relyingPartyId(signInOrigin),
      supportedAlgorithmIDs: algorithmIds,
    }),
  );
  if (!verification.verified) throw notAuthorizedError();
  const { id, publicKey, counter, transports = [] } = verification.registrationInfo.credential;
  const passkey = {
    id,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports,
    name: transports.includes('usb') || transports.includes('nfc') ? 'Security key' : 'Passkey',
    created_at: now(),
  };
  users.update(user, { passkeys: [...user.passkeys, passkey] });
}

/** The browser offers all passkeys of this origin. */
export async function createAuthenticationOptions({ signInOrigin }: UserPool) {
  return generateAuthenticationOptions({ rpID: relyingPartyId(signInOrigin), userVerification: 'required' });
}

/** Throws `NotAuthorizedException` when the passkey is unknown or the response does not fit the challenge. */
export async function authenticateByPasskey(
  { signInOrigin, users }: UserPool,
  { response, challenge }: { response: unknown; challenge: string | undefined },
): Promise<User> {
  const credential = asAuthentication(response);
  const user = users.all().find(({ passkeys }) => passkeys.some(({ id }) => id === credential.id));
  const passkey = user?.passkeys.find(({ id }) => id === credential.id);
  if (user === undefined || passkey === undefined) {
    throw new CognitoError('NotAuthorizedException', 'This passkey does not belong to an account.');
  }
  const { id, public_key: publicKey, counter } = passkey;
  const verification = await orUnauthorized(() =>
    verifyAuthenticationResponse({
      response: credential,
      expectedChallenge: challenge ?? '',
      expectedOrigin: signInOrigin,
      expectedRPID: relyingPartyId(signInOrigin),
      credential: { id, counter, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')) },
    }),
  );
  if (!verification.verified) throw notAuthorizedError();
  passkey.counter = verification.authenticationInfo.newCounter;
  users.update(user);
  return user;
}

function relyingPartyId(signInOrigin: string): string {
  return new URL(signInOrigin).hostname;
}

/** The library throws plain errors for responses that do not verify. */
async function orUnauthorized<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch {
    throw notAuthorizedError();
  }
}

function notAuthorizedError(): CognitoError {
  return new CognitoError('NotAuthorizedException', 'The passkey could not be verified. Try again.');
}

/** The library checks the fields. */
function asRegistration(value: unknown): RegistrationResponseJSON {
  if (isCredential<RegistrationResponseJSON>(value)) return value;
  throw notAuthorizedError();
}

function asAuthentication(value: unknown): AuthenticationResponseJSON {
  if (isCredential<AuthenticationResponseJSON>(value)) return value;
  throw notAuthorizedError();
}

function isCredential<Credential>(value: unknown): value is Credential {
  return isObject(value) && typeof value.id === 'string' && isObject(value.response);
}
