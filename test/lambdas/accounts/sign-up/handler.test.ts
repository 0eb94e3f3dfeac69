import { describe, expect, it } from 'vitest';
import { createTriggerHandler } from '#lambdas/accounts/sign-up/handler.ts';
import type { SignUpSettings } from '#lambdas/accounts/sign-up/rules.ts';
import { createLog } from '#lambdas/platform/log.ts';

const settings: SignUpSettings = {
  signUp: 'invited',
  organizationCreators: ['Ada@Example.com', 'school.example'],
  identityProvider: { name: 'Acme', domains: ['acme.example', 'acme.test'] },
};

const companySignIn = 'Use the company sign-in (Acme) for this address';
const notInvited = 'This address is not invited: ask the administrator of this gateway to allow it';
const otherDomain = 'The company sign-in is only for addresses of these domains: acme.example, acme.test';

/** Returns the message that Cognito shows, or `allowed`. */
async function trigger(
  triggerSource: string,
  userAttributes: Record<string, string>,
  changes: Partial<SignUpSettings> = {},
): Promise<string> {
  const lines: string[] = [];
  const log = createLog({ log: (line) => lines.push(line), error: (line) => lines.push(line) });
  const event = {
    version: '1',
    triggerSource,
    request: { userAttributes },
    response: { autoConfirmUser: false },
  };
  const copy = structuredClone(event);
  const outcome = createTriggerHandler({ ...settings, ...changes }, log)(event);
  const message = await outcome.then(
    (returned) => {
      expect(returned).toBe(event);
      expect(event).toEqual(copy);
      return 'allowed';
    },
    (error: Error) => error.message,
  );
  expect(lines).toHaveLength(message === 'allowed' || message.includes('not supported') ? 0 : 1);
  expect(lines.join()).not.toContain('@');
  return message;
}

describe('Sign-up with a password', () => {
  const signUp = (email: string, changes?: Partial<SignUpSettings>) =>
    trigger('PreSignUp_SignUp', { email }, changes);

  it.each(['ada@example.com', 'ADA@EXAMPLE.COM', 'anyone@school.example', 'Anyone@School.Example'])(
    'is allowed for %s, which may create organizations',
    async (email) => {
      expect(await signUp(email)).toBe('allowed');
    },
  );

  it.each(['eve@example.com', 'eve@sub.school.example', 'eve@notschool.example', 'school.example', ''])(
    'is refused for the stranger %j',
    async (email) => {
      expect(await signUp(email)).toBe(notInvited);
    },
  );

  it('is allowed for everyone if the setting is open, except for addresses of the company', async () => {
    expect(await signUp('eve@example.com', { signUp: 'open' })).toBe('allowed');
    expect(await signUp('eve@ACME.test', { signUp: 'open' })).toBe(companySignIn);
  });

  it('is refused for an address of the company that may create organizations', async () => {
    expect(await signUp('grace@acme.example', { organizationCreators: ['acme.example'] })).toBe(
      companySignIn,
    );
  });

  it('is refused for everyone without organization creators', async () => {
    const changes = { organizationCreators: [], identityProvider: null };
    expect(await signUp('ada@example.com', changes)).toBe(notInvited);
    expect(await signUp('', changes)).toBe(notInvited);
  });
});

describe('Sign-up through the company', () => {
  const signUp = (email: string) => trigger('PreSignUp_ExternalProvider', { email });

  it('is allowed for addresses of its domains alone', async () => {
    expect(await signUp('Grace@Acme.Test')).toBe('allowed');
    expect(await signUp('ada@example.com')).toBe(otherDomain);
    expect(await signUp('grace@sub.acme.test')).toBe(otherDomain);
    expect(await trigger('PreSignUp_ExternalProvider', {})).toBe(otherDomain);
  });
});

describe('Other triggers', () => {
  it('allow users whom an administrator creates', async () => {
    expect(await trigger('PreSignUp_AdminCreateUser', { email: 'eve@example.com' })).toBe('allowed');
  });

  it('refuse a password sign-in with an address of the company, and allow all others', async () => {
    const source = 'PreAuthentication_Authentication';
    expect(await trigger(source, { email: 'grace@acme.example' })).toBe(companySignIn);
    expect(await trigger(source, { email: 'eve@example.com' })).toBe('allowed');
    expect(await trigger(source, {})).toBe('allowed');
    const federated = { email: 'grace@acme.example', 'cognito:user_status': 'EXTERNAL_PROVIDER' };
    expect(await trigger(source, federated)).toBe('allowed');
  });

  it('refuse what they do not know', async () => {
    expect(await trigger('PostConfirmation_ConfirmSignUp', { email: 'ada@example.com' })).toBe(
      'The trigger PostConfirmation_ConfirmSignUp is not supported',
    );
  });
});
