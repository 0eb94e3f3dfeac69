import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetUserCommand } from '@aws-sdk/client-cognito-identity-provider';
import * as openid from 'openid-client';
import { expect, it, onTestFinished } from 'vitest';
import {
  createAuthorizationRequest,
  exchangeCode,
  password,
  signUp,
  startPoolFixture,
} from './pool-fixture.ts';

function createStoreDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'user-pool-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

it('keeps accounts, tokens, sessions, keys and the client secret over a restart', async () => {
  const storeDirectory = createStoreDirectory();
  const first = await startPoolFixture({ storeDirectory });
  const { visitor, tokens } = await signUp(first);
  await first.stop();
  const second = await startPoolFixture({ storeDirectory, port: first.port });
  const request = await createAuthorizationRequest(second);
  const silent = await visitor.open(request.url);
  const again = await exchangeCode(second, silent.url, request);

  expect(second.clientSecret).toBe(first.clientSecret);
  expect(again.claims()?.sub).toBe(tokens.claims()?.sub);
  await second.client.send(new GetUserCommand({ AccessToken: tokens.access_token }));
  await openid.refreshTokenGrant(second.relyingParty, String(tokens.refresh_token));
});

it('stores passwords as hashes, in a file that only the owner can read', async () => {
  const storeDirectory = createStoreDirectory();
  await signUp(await startPoolFixture({ storeDirectory }));
  const file = join(storeDirectory, 'user-pool.json');

  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain(password);
});

it('names a file that cannot be read', async () => {
  const storeDirectory = createStoreDirectory();
  const file = join(storeDirectory, 'user-pool.json');
  writeFileSync(file, '{"users":{}}');

  await expect(startPoolFixture({ storeDirectory })).rejects.toThrow(
    `${file} cannot be read: delete it to start with an empty user pool`,
  );
});
