/** Sign-in with a passkey instead of the password. */
import { authenticateByPasskey, createAuthenticationOptions } from '../directory/passkeys.ts';
import { assertEnabled, assertPasskeySuffices } from '../directory/sign-in.ts';
import type { PageHandler } from './visit.ts';

export const createSignInOptions: PageHandler = async ({ pool, attempt }) => {
  const body = await createAuthenticationOptions(pool);
  attempt.challenge = body.challenge;
  return { kind: 'json', body };
};

export const submitSignInPasskey: PageHandler = async (visit) => {
  const { pool, attempt, client, body } = visit;
  const { challenge } = attempt;
  attempt.challenge = undefined;
  const user = await authenticateByPasskey(pool, { response: body, challenge });
  assertPasskeySuffices(pool.settings, user);
  await pool.triggers.preAuthentication(user, client.id);
  assertEnabled(user);
  return { kind: 'json', body: { location: await visit.signIn(user) } };
};
