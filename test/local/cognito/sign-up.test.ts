import { describe, expect, it } from 'vitest';
import {
  createAuthorizationRequest,
  exchangeCode,
  latestCode,
  type PoolFixture,
  password,
  signIn,
  signUp,
  startPoolFixture,
} from './pool-fixture.ts';
import { triggerArns } from './user-pool-template.ts';
import { createVisitor, type Visitor } from './visitor.ts';

describe('Sign-up', () => {
  it('mails a code and then signs the person in, without another form', async () => {
    const fixture = await startPoolFixture();
    const visitor = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    const first = await visitor.open(request.url.href.replace('/oauth2/authorize', '/signup'));
    const confirmation = await visitor.submit('/signup', { email: 'ada@example.com', name: 'Ada', password });
    const end = await visitor.submit('/confirm', { code: latestCode(fixture) });
    const tokens = await exchangeCode(fixture, end.url, request);

    expect(first.url.pathname).toBe('/local');
    expect(confirmation.url.pathname).toBe('/confirm');
    expect(tokens.claims()).toMatchObject({ email: 'ada@example.com', email_verified: true, name: 'Ada' });
    const [mail] = fixture.pool.mailbox.messages();
    expect(mail).toMatchObject({ to: 'ada@example.com', subject: 'Your code' });
    expect(mail?.text).toBe(`Your code is ${mail?.code}.`);
    expect((await visitor.open(`${fixture.origin}/mail`)).text).toContain(
      `<p class="code">${mail?.code}</p>`,
    );
    expect(fixture.log).toEqual([`mail to ada@example.com: Your code, see ${fixture.origin}/mail`]);
  });

  it('is announced once, when the address is confirmed', async () => {
    const fixture = await startPoolFixture();
    const visitor = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    await visitor.open(request.url.href.replace('/oauth2/authorize', '/signup'));
    await visitor.submit('/signup', { email: 'Ada@example.com', name: 'Ada', password });
    const unconfirmed = [...fixture.signUps];
    const end = await visitor.submit('/confirm', { code: latestCode(fixture) });
    const announced = [...fixture.signUps];
    const { sub } = (await exchangeCode(fixture, end.url, request)).claims() ?? {};
    await signIn(fixture);

    expect(unconfirmed).toEqual([]);
    expect(announced).toEqual([{ id: sub, email: 'Ada@example.com', name: 'Ada' }]);
    expect(fixture.signUps).toEqual(announced);
  });

  it('invokes the trigger with an event like Cognito', async () => {
    const fixture = await startPoolFixture();
    await signUp(fixture);

    const [event] = fixture.events;
    expect(event).toEqual({
      functionArn: triggerArns.PreSignUp,
      version: '1',
      triggerSource: 'PreSignUp_SignUp',
      region: 'us-east-1',
      userPoolId: 'us-east-1_local',
      userName: expect.stringMatching(/^[0-9a-f-]{36}$/),
      callerContext: { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId: 'Client' },
      request: { userAttributes: { email: 'ada@example.com', name: 'Ada' }, validationData: null },
      response: { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false },
    });
  });

  it('shows why the trigger refuses, and creates no account', async () => {
    const fixture = await startPoolFixture({
      trigger: () => {
        throw new Error('This address is not invited');
      },
    });
    const visitor = await openSignUp(fixture);
    const refused = await visitor.submit('/signup', { email: 'eve@example.com', name: '', password });
    const signIn = await visitor.submit('/login', { email: 'eve@example.com', password });

    expect(refused.status).toBe(400);
    expect(refused.alert).toBe('PreSignUp failed with error This address is not invited.');
    expect(refused.text).toContain('value="eve@example.com"');
    expect(signIn.alert).toBe('Incorrect username or password.');
    expect(fixture.pool.mailbox.messages()).toEqual([]);
  });

  it('refuses a wrong code, and accepts only the latest one', async () => {
    const fixture = await startPoolFixture();
    const visitor = await openSignUp(fixture);
    await visitor.submit('/signup', { email: 'ada@example.com', password });
    const firstCode = latestCode(fixture);
    const wrong = await visitor.submit('/confirm', { code: firstCode === '000000' ? '000001' : '000000' });
    const resent = await visitor.submit('/resendCode');
    const former = await visitor.submit('/confirm', { code: firstCode });
    const end = await visitor.submit('/confirm', { code: latestCode(fixture) });

    expect(wrong.alert).toBe('Invalid verification code provided, please try again.');
    expect(resent.text).toContain('A new code has been mailed to you.');
    expect(former.alert).toBe(wrong.alert);
    expect(end.url.searchParams.has('code')).toBe(true);
  });

  it('continues with a new code when the person signs in before the confirmation', async () => {
    const fixture = await startPoolFixture();
    const first = await openSignUp(fixture);
    await first.submit('/signup', { email: 'ada@example.com', password });
    const formerCode = latestCode(fixture);
    const later = await openSignUp(fixture);
    const confirmation = await later.submit('/login', { email: 'ada@example.com', password });
    const former = await later.submit('/confirm', { code: formerCode });
    const end = await later.submit('/confirm', { code: latestCode(fixture) });

    expect(confirmation.text).toContain(
      'Your account is not confirmed yet. A new code has been mailed to you.',
    );
    expect(former.alert).toBe('Invalid verification code provided, please try again.');
    expect(end.url.searchParams.has('code')).toBe(true);
  });

  it.each([
    [{ email: 'ada@example.com', password }, 'An account with the given email already exists.'],
    [{ email: 'ada', password }, 'Invalid email address format.'],
    [
      { email: 'eve@example.com', password: 'short-Pass1' },
      'Password did not conform with policy: Password not long enough',
    ],
    [{ email: 'eve@example.com', password: 'correct-horse-7' }, 'Password must have uppercase characters'],
    [{ email: 'eve@example.com', password: 'correctHorse77' }, 'Password must have symbol characters'],
  ])('refuses %j', async (fields, message) => {
    const fixture = await startPoolFixture();
    await signUp(fixture);
    const visitor = await openSignUp(fixture);
    const refused = await visitor.submit('/signup', fields);

    expect(refused.status).toBe(400);
    expect(refused.alert).toContain(message);
  });

  it('escapes what was entered', async () => {
    const visitor = await openSignUp(await startPoolFixture());
    const { text } = await visitor.submit('/signup', { email: '"><b>', name: "'<i>", password });

    expect(text).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(text).toContain('value="&#39;&lt;i&gt;"');
  });

  it('is refused when only administrators create users', async () => {
    const fixture = await startPoolFixture({
      pool: { AdminCreateUserConfig: { AllowAdminCreateUserOnly: true } },
    });
    const visitor = createVisitor();
    const page = await visitor.open((await createAuthorizationRequest(fixture)).url);
    const refused = await visitor.submit('/signup', { email: 'ada@example.com', password });

    expect(page.text).not.toContain('/signup');
    expect(refused.alert).toBe('SignUp is not permitted for this user pool');
  });
});

async function openSignUp(fixture: PoolFixture): Promise<Visitor> {
  const visitor = createVisitor();
  await visitor.open((await createAuthorizationRequest(fixture)).url);
  return visitor;
}
