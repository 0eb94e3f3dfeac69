/**
 * Serves a new account until it is interrupted, to try the commands around a deployment by hand: the region is in the
 * profile only, Lambda's quota is 10, there is no CloudFront distribution, and two deployments have failed. Run it with the
 * Node of the dependencies, `npx node test/support/aws/deployment-account/main.ts`, and the lines that it prints in the
 * shell of the commands.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addFailedStack, createAccount, stackId } from './account.ts';
import { startAccount } from './server.ts';

const account = createAccount();
account.concurrency = { limit: 10, unreserved: 10 };
account.distributions = 0;
for (const number of [1, 2]) addFailedStack(account, { id: stackId('AiGateway', number), name: 'AiGateway' });
const [first] = account.stacks;
if (first !== undefined) first.status = 'DELETE_COMPLETE';
account.tables.set('AiGateway-Directory98167B95-1', { items: 1, isProtected: true });

const directory = await mkdtemp(join(tmpdir(), 'deployment-account-'));
const files = {
  AWS_CONFIG_FILE: join(directory, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(directory, 'credentials'),
};
await writeFile(files.AWS_CONFIG_FILE, '[default]\nregion = eu-west-1\n');
await writeFile(
  files.AWS_SHARED_CREDENTIALS_FILE,
  '[default]\naws_access_key_id = test\naws_secret_access_key = test\n',
);

const server = await startAccount(account);
const variables = Object.entries({ ...server.environment, ...files });
console.log(`export ${variables.map(([name, value]) => `${name}=${value}`).join(' ')}`);
console.log('unset AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY');

process.once('SIGINT', async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});
