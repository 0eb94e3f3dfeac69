import {
  AdminDeleteUserCommand,
  AdminEnableUserCommand,
  AdminUserGlobalSignOutCommand,
  DeleteUserCommand,
  DescribeUserPoolClientCommand,
  GetUserCommand,
  GlobalSignOutCommand,
  ListUsersCommand,
  UpdateUserAttributesCommand,
  VerifyUserAttributeCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import * as openid from 'openid-client';
import { describe, expect, it } from 'vitest';
import {
  createAuthorizationRequest,
  exchangeCode,
  latestCode,
  password,
  signIn,
  signUp,
  startPoolFixture,
  userPoolId,
} from './pool-fixture.ts';
import { clientId } from './user-pool-template.ts';
import { createVisitor } from './visitor.ts';

describe('The API for users', () => {
  it('changes the name', async () => {
    const fixture = await startPoolFixture();
    const AccessToken = (await signUp(fixture)).tokens.access_token;
    await fixture.client.send(
      new UpdateUserAttributesCommand({ AccessToken, UserAttributes: [{ Name: 'name', Value: 'Countess' }] }),
    );
    const user = await fixture.client.send(new GetUserCommand({ AccessToken }));

    expect(user.UserAttributes).toContainEqual({ Name: 'name', Value: 'Countess' });
  });

  it('does not let a user write other attributes', async () => {
    const fixture = await startPoolFixture();
    const AccessToken = (await signUp(fixture)).tokens.access_token;
    const UserAttributes = [{ Name: 'email_verified', Value: 'true' }];

    await expect(
      fixture.client.send(new UpdateUserAttributesCommand({ AccessToken, UserAttributes })),
    ).rejects.toMatchObject({ name: 'NotAuthorizedException' });
  });

  it('keeps the old address until the new one is verified', async () => {
    const fixture = await startPoolFixture();
    const AccessToken = (await signUp(fixture)).tokens.access_token;
    const delivery = await fixture.client.send(
      new UpdateUserAttributesCommand({
        AccessToken,
        UserAttributes: [{ Name: 'email', Value: 'countess@example.com' }],
      }),
    );
    const before = (await signIn(fixture, 'ada@example.com')).tokens.claims();
    const mail = fixture.pool.mailbox.messages()[0];
    await fixture.client.send(
      new VerifyUserAttributeCommand({ AccessToken, AttributeName: 'email', Code: mail?.code }),
    );
    const after = (await signIn(fixture, 'countess@example.com')).tokens.claims();
    const visitor = createVisitor();
    await visitor.open((await createAuthorizationRequest(fixture)).url);
    const former = await visitor.submit('/login', { email: 'ada@example.com', password });

    expect(delivery.CodeDeliveryDetailsList).toEqual([
      { AttributeName: 'email', DeliveryMedium: 'EMAIL', Destination: 'c***@e***' },
    ]);
    expect(mail?.to).toBe('countess@example.com');
    expect(before).toMatchObject({ email: 'ada@example.com', email_verified: true });
    expect(after).toMatchObject({ email: 'countess@example.com', email_verified: true, sub: before?.sub });
    expect(former.alert).toBe('Incorrect username or password.');
  });

  it('refuses an address of another account, even when it is taken before it is verified', async () => {
    const fixture = await startPoolFixture();
    const AccessToken = (await signUp(fixture)).tokens.access_token;
    const change = (Value: string) =>
      fixture.client.send(
        new UpdateUserAttributesCommand({ AccessToken, UserAttributes: [{ Name: 'email', Value }] }),
      );
    await change('grace@example.com');
    const Code = latestCode(fixture);
    await signUp(fixture, 'grace@example.com');

    await expect(
      fixture.client.send(new VerifyUserAttributeCommand({ AccessToken, AttributeName: 'email', Code })),
    ).rejects.toMatchObject({ name: 'AliasExistsException' });
    await expect(change('Grace@example.com')).rejects.toMatchObject({ name: 'AliasExistsException' });
  });

  it('refuses a wrong verification code', async () => {
    const fixture = await startPoolFixture();
    const AccessToken = (await signUp(fixture)).tokens.access_token;
    const verify = () =>
      fixture.client.send(
        new VerifyUserAttributeCommand({ AccessToken, AttributeName: 'email', Code: 'wrong' }),
      );
    await expect(verify()).rejects.toMatchObject({ name: 'ExpiredCodeException' });
    await fixture.client.send(
      new UpdateUserAttributesCommand({
        AccessToken,
        UserAttributes: [{ Name: 'email', Value: 'countess@example.com' }],
      }),
    );
    await expect(verify()).rejects.toMatchObject({ name: 'CodeMismatchException' });
  });

  it('revokes all tokens with GlobalSignOut, but not those of a later sign-in', async () => {
    const fixture = await startPoolFixture();
    const first = (await signUp(fixture)).tokens;
    const second = (await signIn(fixture)).tokens;
    await fixture.client.send(new GlobalSignOutCommand({ AccessToken: first.access_token }));
    const later = (await signIn(fixture)).tokens;

    for (const { access_token: AccessToken, refresh_token: refreshToken } of [first, second]) {
      await expect(fixture.client.send(new GetUserCommand({ AccessToken }))).rejects.toMatchObject({
        message: 'Access Token has been revoked',
      });
      await expect(
        openid.refreshTokenGrant(fixture.relyingParty, String(refreshToken)),
      ).rejects.toMatchObject({ error: 'invalid_grant' });
    }
    await fixture.client.send(new GetUserCommand({ AccessToken: later.access_token }));
  });

  it('deletes the user with all sessions and tokens', async () => {
    const fixture = await startPoolFixture();
    const { tokens, visitor } = await signUp(fixture);
    await fixture.client.send(new DeleteUserCommand({ AccessToken: tokens.access_token }));
    const page = await visitor.open((await createAuthorizationRequest(fixture)).url);

    expect(page.url.pathname).toBe('/local');
    await expect(
      fixture.client.send(new GetUserCommand({ AccessToken: tokens.access_token })),
    ).rejects.toMatchObject({ name: 'UserNotFoundException' });
    await expect(
      openid.refreshTokenGrant(fixture.relyingParty, String(tokens.refresh_token)),
    ).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('refuses expired, forged and other tokens', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture);
    const getUser = (AccessToken: string) => fixture.client.send(new GetUserCommand({ AccessToken }));
    const [header, , signature] = tokens.access_token.split('.');
    const forged = [header, Buffer.from('{"token_use":"access"}').toString('base64url'), signature].join('.');

    await expect(getUser(forged)).rejects.toMatchObject({ message: 'Invalid Access Token' });
    await expect(getUser(String(tokens.id_token))).rejects.toMatchObject({ message: 'Invalid Access Token' });
    fixture.clock.now += 65 * 60_000;
    await expect(getUser(tokens.access_token)).rejects.toMatchObject({
      name: 'NotAuthorizedException',
      message: 'Access Token has expired',
    });
  });

  it('needs the scope of self-service', async () => {
    const fixture = await startPoolFixture();
    const { visitor } = await signUp(fixture);
    const request = await createAuthorizationRequest(fixture, { scope: 'openid' });
    const { url } = await visitor.open(request.url);
    const { access_token: AccessToken } = await exchangeCode(fixture, url, request);

    await expect(fixture.client.send(new GetUserCommand({ AccessToken }))).rejects.toMatchObject({
      message: 'Access Token does not have required scopes',
    });
  });
});

describe('The API for operators', () => {
  it('describes the client, with the permission for the pool', async () => {
    const fixture = await startPoolFixture();
    const { UserPoolClient } = await fixture.client.send(
      new DescribeUserPoolClientCommand({ UserPoolId: userPoolId, ClientId: clientId }),
    );

    expect(UserPoolClient).toMatchObject({
      ClientId: clientId,
      ClientSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
      SupportedIdentityProviders: ['COGNITO'],
    });
    expect(fixture.grants.at(-1)).toEqual({
      action: 'cognito-idp:DescribeUserPoolClient',
      resource: 'arn:aws:cognito-idp:us-east-1:000000000000:userpool/us-east-1_local',
    });
    await expect(
      fixture.client.send(new DescribeUserPoolClientCommand({ UserPoolId: 'other', ClientId: clientId })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  it('lists, signs out and deletes users', async () => {
    const fixture = await startPoolFixture();
    const { tokens } = await signUp(fixture);
    await signUp(fixture, 'grace@example.com');
    const target = { UserPoolId: userPoolId, Username: 'ada@example.com' };
    const listed = await fixture.client.send(
      new ListUsersCommand({ UserPoolId: userPoolId, Filter: 'email = "ada@example.com"' }),
    );
    await fixture.client.send(new AdminUserGlobalSignOutCommand(target));
    await fixture.client.send(new AdminEnableUserCommand(target));
    const refreshing = openid.refreshTokenGrant(fixture.relyingParty, String(tokens.refresh_token));
    await expect(refreshing).rejects.toMatchObject({ error: 'invalid_grant' });
    await fixture.client.send(new AdminDeleteUserCommand(target));
    const remaining = await fixture.client.send(new ListUsersCommand({ UserPoolId: userPoolId }));

    expect(listed.Users).toMatchObject([
      { Username: tokens.claims()?.sub, Enabled: true, UserStatus: 'CONFIRMED' },
    ]);
    expect(remaining.Users).toHaveLength(1);
  });
});
