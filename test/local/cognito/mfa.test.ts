import { GetUserCommand, SetUserMFAPreferenceCommand } from '@aws-sdk/client-cognito-identity-provider';
import { describe, expect, it } from 'vitest';
import { currentCode, setUpTotp } from './factors.ts';
import {
  createAuthorizationRequest,
  exchangeCode,
  latestCode,
  password,
  signUp,
  startPoolFixture,
} from './pool-fixture.ts';
import { createVisitor } from './visitor.ts';

const wrongCode = 'Invalid code. Check the time of this device, and enter the code that the app shows now.';

describe('Optional MFA', () => {
  it('asks for a code of the app once it is set up, and accepts each code once', async () => {
    const fixture = await startPoolFixture();
    const secret = await setUpTotp(fixture, (await signUp(fixture)).tokens.access_token);
    fixture.clock.now += 30_000;
    const visitor = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    await visitor.open(request.url);
    const challenge = await visitor.submit('/login', { email: 'ada@example.com', password });
    const withoutCode = await visitor.open(request.url);
    await visitor.submit('/login', { email: 'ada@example.com', password });
    const code = currentCode(secret, fixture);
    const wrong = await visitor.submit('/mfa', { code: code === '000000' ? '000001' : '000000' });
    const end = await visitor.submit('/mfa', { code });
    const tokens = await exchangeCode(fixture, end.url, request);

    const second = createVisitor();
    await second.open((await createAuthorizationRequest(fixture)).url);
    await second.submit('/login', { email: 'ada@example.com', password });
    const reused = await second.submit('/mfa', { code });

    expect(challenge.url.pathname).toBe('/mfa');
    expect(withoutCode.url.pathname).toBe('/local');
    expect(wrong.alert).toBe(wrongCode);
    expect(tokens.claims()?.email).toBe('ada@example.com');
    expect(reused.alert).toBe(wrongCode);
  });

  it('asks for no code after it is switched off', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture);
    const AccessToken = tokens.access_token;
    await setUpTotp(fixture, AccessToken);
    const on = await fixture.client.send(new GetUserCommand({ AccessToken }));
    await fixture.client.send(
      new SetUserMFAPreferenceCommand({ AccessToken, SoftwareTokenMfaSettings: { Enabled: false } }),
    );
    const off = await fixture.client.send(new GetUserCommand({ AccessToken }));
    const visitor = createVisitor();
    await visitor.open((await createAuthorizationRequest(fixture)).url);
    const end = await visitor.submit('/login', { email: 'ada@example.com', password });

    expect(on.UserMFASettingList).toEqual(['SOFTWARE_TOKEN_MFA']);
    expect(off.UserMFASettingList).toBeUndefined();
    expect(end.url.searchParams.has('code')).toBe(true);
  });
});

describe('Required MFA', () => {
  it('is set up with the first sign-in', async () => {
    const fixture = await startPoolFixture({ pool: { MfaConfiguration: 'ON' } });
    const visitor = createVisitor();
    const request = await createAuthorizationRequest(fixture);
    await visitor.open(request.url);
    await visitor.submit('/signup', { email: 'ada@example.com', password });
    const setUp = await visitor.submit('/confirm', { code: latestCode(fixture) });
    const secret = /<code>([A-Z2-7]+)<\/code>/.exec(setUp.text)?.[1] ?? '';
    const skipped = await visitor.open(request.url);
    await visitor.submit('/login', { email: 'ada@example.com', password });
    const wrong = await visitor.submit('/mfa/setup', { code: '12345' });
    const end = await visitor.submit('/mfa/setup', { code: currentCode(secret, fixture) });
    const tokens = await exchangeCode(fixture, end.url, request);

    expect(setUp.url.pathname).toBe('/mfa/setup');
    expect(setUp.text).toContain('<svg');
    expect(setUp.text).not.toContain('passkey');
    expect(skipped.url.pathname).toBe('/local');
    expect(wrong.alert).toBe(wrongCode);
    expect(tokens.claims()?.email).toBe('ada@example.com');
    await expect(
      fixture.client.send(
        new SetUserMFAPreferenceCommand({
          AccessToken: tokens.access_token,
          SoftwareTokenMfaSettings: { Enabled: false },
        }),
      ),
    ).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });
});

it('names a method of MFA that is not emulated', async () => {
  await expect(startPoolFixture({ pool: { EnabledMfas: ['SMS_MFA'] } })).rejects.toThrow(
    'Pool.EnabledMfas must include SOFTWARE_TOKEN_MFA, the only method that the local run emulates',
  );
});
